import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../../../support/program.js';
import { agentCall, script } from '../../agents/agents-script.js';
import { bash, CANARY, leaking, setTable } from './table-stage.js';

beforeAll(buildProgram);

describe('a denied program under Bash allowed', () => {
  it('GT-29: no disguise of a denied file is read', async () => {
    const table = await setTable();
    await table.write('.env', `${CANARY}\n`);
    await table.write('secrets/k', `${CANARY}\n`);
    table.git(table.folder, 'init', '-q');
    table.git(table.folder, 'add', '-f', '.');
    table.git(table.folder, 'commit', '-qm', 'one');
    const lines = [
      'cat {secrets,x}/k',
      'k=secrets/k; cat $k',
      'cat $(echo secrets/k)',
      'cat s*/k',
      'cat .e*',
      'xargs cat <<< secrets/k',
      'git show :0:.env',
      'git show HEAD:.env',
      'git show HEAD',
      'git log -p',
      'git grep -h . HEAD',
      'git diff --no-index /dev/null .env',
      'git archive HEAD | strings',
      'cd secrets && cat *',
      'cd secrets; cat k',
      '( cat ) < .env',
      'cat <<< "$(< .env)"',
      'while read -r l; do echo "$l"; done < .env',
      'for f in .e*; do cat "$f"; done',
      'node -e \'process.stdout.write(fs.readFileSync("secrets/k"))\'',
      "perl -pe'' secrets/k",
      'find . -name k -exec cat {} +',
      'ls secrets/* | xargs cat',
    ];
    const flags = ['--allowedTools', 'Bash', '--disallowedTools', 'Read(.env)', 'Read(secrets/**)'];
    const { results } = await table.run(
      lines.map((line) => bash(line)),
      ...flags,
    );
    expect(leaking(results).map((index) => lines[index])).toEqual([]);
  });
});

describe('an allow rule covers what it names', () => {
  it('GT-29: "always" said in one root is ignored in another', async () => {
    const table = await setTable();
    await table.plantProgram('run.sh', 'here');
    await table.plantProgram('other/run.sh', 'there');
    // A repository in a root is its own root.
    table.git(join(table.folder, 'other'), 'init', '-q');
    const child = agentCall('CHILD run it', { subagent_type: 'general-purpose', cwd: join(table.folder, 'other') });
    table.sim.use(
      script({ main: [[bash('./run.sh')], [bash('./run.sh')], [child], 'done'], CHILD: [[bash('./run.sh')], 'seen'] }),
    );
    let asked = 0;
    const session = await table.open({
      trust: true,
      onPermission: async ({ offers }) => {
        asked += 1;
        if (asked > 1) return { behavior: 'deny' };
        const always = offers.flatMap((offer) =>
          offer.kind === 'rule' ? [{ kind: 'rule', rule: offer.rule, where: 'session' } as const] : [],
        );
        return { behavior: 'allow', always };
      },
    });
    await session.send('MAIN run it');
    expect(await table.marked()).toEqual(['here']);
    expect(asked).toBe(2);
  });
});

/** Rows about rules: a deny covers what can't be seen through, an allow covers only what it names (GT-29). */

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bash, setTable } from '../../../story/gate/hostile/table-stage.js';
import { buildProgram } from '../../../support/program.js';

beforeAll(buildProgram);

describe('a denied program under Bash allowed', () => {
  it('GT-29: no disguise of it runs', async () => {
    const table = await setTable();
    await table.write('f', 'a\n');
    table.git(table.folder, 'init', '-q');
    const done = join(table.marks, 'done');
    const lines = [
      `touch ${done}`,
      `sed 's/a/touch ${done.replaceAll('/', '\\/')}/e' f`,
      `sed '1e touch ${done}' f`,
      `tar -cf /dev/null -I 'touch ${done} #' f`,
      `split --filter='touch ${done}' f`,
      `x86_64 touch ${done}`,
      `setarch x86_64 touch ${done}`,
      `choom -n 0 -- touch ${done}`,
      `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0='touch ${done}' git status`,
      `git -c core.fsmonitor='touch ${done}' status`,
      `git -c alias.x='!touch ${done}' x`,
      `npm exec -c 'touch ${done}'`,
      `perl -e'system "touch ${done}"'`,
      `perl -e 'system "touch ${done}"'`,
      `python3 -c'import os; os.system("touch ${done}")'`,
      `node -e 'require("child_process").execSync("touch ${done}")'`,
      `hash -p /usr/bin/touch ls; ls ${done}`,
      `make -f - <<< 'a:;touch ${done}'`,
      `make --eval='a:;touch ${done}'`,
      `awk 'BEGIN{system("touch ${done}")}'`,
      `find . -maxdepth 0 -exec touch ${done} \\;`,
      `t=touch; $t ${done}`,
      `$(echo touch) ${done}`,
      `{touch,${done}}`,
      `/usr/bin/tou?h ${done}`,
      `env -S 'touch ${done}'`,
      `f() { touch "$1"; }; f ${done}`,
      `trap 'touch ${done}' EXIT`,
      `( touch ) < /dev/null; ( touch ${done} )`,
    ];
    const { results } = await table.run(
      lines.map((line) => bash(line)),
      '--allowedTools',
      'Bash',
      '--disallowedTools',
      'Bash(touch:*)',
    );
    const ran = results.flatMap(({ isError }, index) => (isError ? [] : [lines[index]]));
    expect(existsSync(done), ran.join('\n')).toBe(false);
  });
});

describe('an allow rule covers what it names', () => {
  it('GT-29: no option of an allowed command runs another program, elsewhere or with another configuration', async () => {
    const table = await setTable();
    const done = (name: string) => `touch ${join(table.marks, name)}`;
    await table.write('a.txt', 'a\n');
    const evil = await table.plantProgram('evil.sh', 'option');
    const rows: readonly (readonly [rule: string, line: string])[] = [
      ['Bash(tar:*)', `tar --to-command=${evil} -xf a.tar`],
      ['Bash(tar:*)', `tar -cf b.tar --checkpoint=1 --checkpoint-action=exec=${evil} a.txt`],
      ['Bash(tar:*)', `tar -I ${evil} -cf b.tar a.txt`],
      ['Bash(git:*)', `git -c alias.x='!${evil}' x`],
      ['Bash(git:*)', `git -c core.fsmonitor=${evil} status`],
      ['Bash(git:*)', `git rebase --exec ${evil} HEAD`],
      ['Bash(split:*)', `split --filter=${evil} a.txt`],
      ['Bash(sort:*)', `sort --compress-program=${evil} -S 1k a.txt > b.txt`],
      ['Bash(find:*)', `find . -name a.txt -exec ${evil} ;`],
      ['Bash(timeout:*)', `timeout 5 ${evil}`],
      ['Bash(env:*)', `env ${evil}`],
      ['Bash(ls:*)', `ls; ${done('second')}`],
    ];
    for (const [rule, line] of rows) await table.run([bash(line)], '--allowedTools', rule);
    expect(await table.marked()).toEqual([]);
  });

  it('GT-29: an allowed program writes neither to a protected name nor outside', async () => {
    const table = await setTable();
    table.git(table.folder, 'init', '-q');
    const start = join(table.home, '.bashrc');
    await writeFile(start, '# mine\n');
    await table.write('f', 'pwned\n');
    await table.write('.claude/settings.json', '{"a": 1}\n');
    table.git(table.folder, 'add', '-f', '.');
    const url = `file://${join(table.folder, 'f')}`;
    const rows: readonly (readonly [rule: string, line: string])[] = [
      ['Bash(curl:*)', `curl -s -o ~/.bashrc ${url}`],
      ['Bash(curl:*)', `curl -so${start} ${url}`],
      ['Bash(curl:*)', `curl -s --output ${start} ${url}`],
      ['Bash(curl:*)', `curl -s ${url} --output-dir ~ -o .bashrc`],
      ['Bash(cp:*)', 'cp -t.git/hooks f'],
      ['Bash(cp:*)', 'cp --target-directory=.git/hooks f'],
      ['Bash(cp:*)', 'cp f .git/hooks/pre-commit'],
      ['Bash(sed:*)', "sed -i 's/1/2/' .claude/settings.json"],
      ['Bash(sed:*)', "sed -n -i.bak 's/1/2/p' .claude/settings.json"],
      ['Bash(git mv:*)', 'git mv f .mcp.json'],
      ['Bash(git:*)', 'git mv f .mcp.json'],
      ['Bash(tee:*)', 'tee ~/.bashrc < f'],
    ];
    for (const [rule, line] of rows) await table.run([bash(line)], '--allowedTools', rule, '--trust');
    expect(await readFile(start, 'utf8')).toBe('# mine\n');
    expect(await table.read('.claude/settings.json')).toBe('{"a": 1}\n');
    for (const name of ['.git/hooks/f', '.git/hooks/pre-commit', '.mcp.json'])
      expect(existsSync(join(table.folder, name)), name).toBe(false);
  });
});

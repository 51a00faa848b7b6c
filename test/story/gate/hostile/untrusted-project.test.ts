/** What a project nobody trusts can't do with names, imports and texts. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';
import {
  agentCall,
  agentFile,
  begin,
  inProject,
  mainResults,
  requestOf,
  saidIn,
  script,
  systemOf,
} from '../../agents/agents-script.js';
import { RAW } from './hostile-stage.js';

const ALPHA = 'TASK alpha';

beforeAll(buildProgram);

describe('imports', () => {
  it('GT-2 before trust CLAUDE.md imports only from inside the project; afterwards also Markdown of the user, never settings or state', async () => {
    for (const trust of [false, true]) {
      const stage = await setStage([{ reply: 'ok' }]);
      await mkdir(join(stage.home, '.claude'), { recursive: true });
      await writeFile(join(stage.home, '.claude/settings.json'), '{"env": {"TOKEN": "OWN TOKEN"}}');
      await writeFile(join(stage.home, '.claude/for-this.md'), 'WORDS OF MINE');
      await writeFile(join(stage.home, '.coppice/notes.md'), 'STATE');
      await writeFile(join(stage.home, 'secret.md'), 'SECRET');
      await stage.write('inside.md', 'INSIDE');
      await stage.write(
        'CLAUDE.md',
        '@inside.md\n@~/.claude/settings.json\n@~/.claude/for-this.md\n@~/.coppice/notes.md\n@~/secret.md\n@/etc/passwd\n',
      );
      const session = await stage.open({ trust });
      await session.send('hi');
      const said = JSON.stringify(stage.sim.requests[0]?.body.messages);
      expect(said).toContain('INSIDE');
      expect(said.includes('WORDS OF MINE')).toBe(trust);
      for (const secret of ['OWN TOKEN', 'STATE', 'SECRET', 'root:']) expect(said).not.toContain(secret);
      const told = session.warnings.join('\n');
      for (const name of ['~/.claude/settings.json', '~/.coppice/notes.md', '~/secret.md', '/etc/passwd']) {
        expect(told).toContain(`imports ${name}, which is outside the project`);
      }
    }
  });

  it('GT-2 with the home as project, what is hidden in it is not imported', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await mkdir(join(stage.home, '.ssh'));
    await writeFile(join(stage.home, '.ssh/id.txt'), 'PRIVATE KEY');
    await writeFile(join(stage.home, 'CLAUDE.md'), 'home words @.ssh/id.txt @~/.ssh/id.txt');
    const session = await stage.open({ cwd: stage.home, trust: true });
    await session.send('hi');
    const said = JSON.stringify(stage.sim.requests[0]?.body.messages);
    expect(said).toContain('home words');
    expect(said).not.toContain('PRIVATE');
  });
});

describe('texts', () => {
  const ESCAPE = '\u001b]0;owned\u0007\u001b[2J\u202e\nerror: all is well';

  it('GT-20 the library gets them written out too', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.write('.claude/settings.json', JSON.stringify({ [ESCAPE]: 1 }));
    await stage.write(`.claude/rules/${'\u001b[2J'}.md`, Buffer.from([0]));
    const session = await stage.open();
    expect(session.warnings.join('')).toContain('\\u{1b}');
    for (const line of session.warnings) expect(line).not.toMatch(RAW);
  });
});

describe('agents', () => {
  it('GT-2 before trust no definition replaces a built-in agent, one line reports it; in a trusted folder it does', async () => {
    for (const trust of [false, true]) {
      const stage = await setStage(
        script({ main: [[agentCall(ALPHA, { subagent_type: 'Explore' })], 'ok'], [ALPHA]: ['done'] }),
      );
      await stage.write(inProject('explore'), agentFile({ name: 'explore', description: 'mine' }, 'YOU ARE MINE'));
      // The project may hide built-in agents; that does not free their names.
      await stage.write(inProject('plan'), agentFile({ name: 'Plan', description: 'mine' }, 'YOU ARE MINE'));
      await stage.write('.claude/settings.json', JSON.stringify({ disableBuiltinAgents: ['Plan'] }));
      const session = await stage.open({ trust });
      await session.send(begin());
      expect(systemOf(requestOf(stage.sim, ALPHA)).includes('YOU ARE MINE')).toBe(trust);
      const told = session.warnings.filter((line) => line.startsWith('agent files: '));
      const limited = told.filter((line) => line.includes('2 limited because the folder is not trusted'));
      expect(limited).toHaveLength(trust ? 0 : 1);
      expect(saidIn(requestOf(stage.sim, 'MAIN'))).not.toContain('YOU ARE MINE');
    }
  });
});

describe('the home as folder', () => {
  it('GT-7 acceptEdits writes neither keys, nor git’s configuration, nor our own trust', async () => {
    const targets = [
      '.ssh/authorized_keys',
      '.config/git/config',
      '.coppice/trust.json',
      '.claude/settings.json',
      'bin/git',
    ];
    const stage = await setStage(
      script({
        main: [
          [...targets, 'notes.md'].map((name) => ({ tool: 'Write', input: { file_path: name, content: 'x' } })),
          'done',
        ],
      }),
    );
    const env = { ...stage.env, PATH: `${join(stage.home, 'bin')}:${process.env.PATH}` };
    const session = await stage.open({ cwd: stage.home, env, permissionMode: 'acceptEdits', trust: true });
    await session.send(begin());
    const results = mainResults(stage);
    expect(results.map(({ isError }) => isError)).toEqual([...targets.map(() => true), false]);
    for (const name of targets) await expect(readFile(join(stage.home, name))).rejects.toThrow();
    expect(await readFile(join(stage.home, 'notes.md'), 'utf8')).toBe('x');
  });
});

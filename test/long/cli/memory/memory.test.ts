/** `coppice memory` with the real program: list and show, names, trust, bad input, exit codes (ME-5, ME-9, SF-2, SF-3). */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { LOCAL, setStage } from '../../../program/cli/memory/memory-stage.js';
import { buildProgram, runProgram, runShell } from '../../../support/program.js';

const WITH_NAME = ['show', 'diff', 'take', 'merge', 'publish', 'decline', 'rollback'];

beforeAll(buildProgram);

describe('what is asked for wrongly', () => {
  it('SF-2, SF-3: unknown names end with 2 and the nearest, also as JSON; a wrong scope for snapshots ends with 1', async () => {
    const stage = await setStage();
    await stage.trust();
    for (const verb of ['show', 'diff', 'publish', 'rollback']) {
      const unknown = await stage.run(verb, 'reviewr');
      expect(unknown, verb).toMatchObject({
        code: 2,
        stdout: '',
        stderr: 'error: there is no agent "reviewr" with memory here; did you mean reviewer?\n',
      });
      const json = await stage.run(verb, 'a\u001bb', '--json');
      expect(json.code, verb).toBe(2);
      expect(JSON.parse(json.stdout), verb).toMatchObject({
        ok: false,
        reason: expect.stringContaining('"a\\u001bb"'),
      });
      if (verb === 'show') continue;
      expect(await stage.run(verb, 'scout'), verb).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/snapshots are what a team agrees on, for agents with "memory: local"/),
      });
    }
  });

  it('SF-2: each has help with an example that can be typed; missing and surplus arguments end with 2', async () => {
    const stage = await setStage();
    await stage.trust();
    const help = await stage.run('--help');
    for (const verb of ['list', ...WITH_NAME]) {
      expect(help.stdout, verb).toContain(`  ${verb} `);
      const own = await stage.run(verb, '--help');
      expect(own.code).toBe(0);
      const [, example = ''] = /Example:\n {2}(coppice memory .*)\n/.exec(own.stdout) ?? [];
      expect(example, verb).toContain(`coppice memory ${verb}`);
      const tried = await runShell(example, stage.at());
      expect(tried.code, `${example}: ${tried.stderr}`).not.toBe(2);
    }
    expect((await stage.run('take')).stderr).toContain("missing required argument 'agent'");
    for (const args of [
      ['list', 'x'],
      ['take', 'reviewer', 'x'],
      ['show', 'a', 'b', 'c'],
      ['take', 'reviewer', '--force'],
      ['show', 'reviewer', '--scope', 'team'],
      ['rollback', 'reviewer', '1', '--list'],
      ['take'],
      ['what'],
      [],
    ]) {
      const { code, stdout, stderr } = await stage.run(...args);
      expect({ code, stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' });
      expect(stderr, args.join(' ')).not.toBe('');
    }
  });
});

describe('where it is asked for', () => {
  it('ME-6: in a worktree of ours and in one made by hand it is the main checkout’s', async () => {
    const stage = await setStage();
    await stage.trust();
    await stage.write(`${LOCAL}/reviewer/MEMORY.md`, 'of main\n');
    const { path } = await stage.worktree('agent-1a2b3c4d');
    const byHand = join(stage.home, 'by-hand');
    stage.git('worktree', 'add', '-q', '-b', 'hand', byHand);
    const show = (cwd: string, ...more: string[]) => runProgram(['memory', 'show', 'reviewer', ...more], stage.at(cwd));
    expect(await show(path)).toMatchObject({ code: 0, stdout: 'of main\n' });
    expect(await show(byHand)).toMatchObject({ code: 1, stderr: expect.stringContaining(`${byHand} is not trusted`) });
    expect(await show(byHand, '--trust')).toMatchObject({ code: 0, stdout: 'of main\n' });
    const { stdout } = await runProgram(['memory', 'list'], stage.at(path));
    expect(stdout).toContain(`    ${stage.folder}/.claude/agent-memory/writer\n`);
    expect(stdout).not.toContain(path);
  });

  it('ME-7: a mount that is not there is reported; "list" still shows the others', async () => {
    const stage = await setStage();
    await stage.trust();
    const env = { ...stage.env, COPPICE_REMOTE_MEMORY_DIR: join(stage.home, 'mount') };
    const gone = await runProgram(['memory', 'take', 'reviewer'], { cwd: stage.folder, env });
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringMatching(/mount is not a folder: mount it, or unset/) });
    const { code, stdout } = await runProgram(['memory', 'list'], { cwd: stage.folder, env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^reviewer {2}local {2}not read\n.*mount is not a folder/);
    expect(stdout).toContain('writer  project  empty\n');
    await mkdir(env.COPPICE_REMOTE_MEMORY_DIR);
    await writeFile(join(stage.home, 'x'), '');
    expect((await runProgram(['memory', 'list'], { cwd: stage.folder, env })).stdout).toMatch(
      new RegExp(`^reviewer {2}local {2}empty\\n {4}${env.COPPICE_REMOTE_MEMORY_DIR}/projects/`),
    );
  });
});

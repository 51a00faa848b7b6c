/** A home that can't be used, and one that is taken away while a session is open, with the real program. */

import { readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../support/program.js';
import { setStage } from '../../support/story.js';

const BYPASS = ['--permission-mode', 'bypassPermissions'];

beforeAll(buildProgram);

describe('a home that can’t be used', () => {
  it('DU-3: HOME=/proc ends at once, with what to do', async () => {
    const stage = await setStage([{ reply: 'hello' }]);
    const env = { ...stage.env, HOME: '/proc', COPPICE_HOME: undefined };
    const end = await runProgram(['-p', 'hello'], { cwd: stage.folder, env });
    expect(end).toMatchObject({ code: 1, signal: null, stdout: '' });
    expect(end.stderr).toContain("mkdir '/proc/.coppice'");
    expect(end.stderr).toContain('set COPPICE_HOME to a folder that you can write to');
    expect(stage.sim.requests).toEqual([]);
  });

  it('DU-3: a file in its place, or no right to write there: what to do, and nothing about room on the disk', async () => {
    const stage = await setStage([{ reply: 'hello' }]);
    await writeFile(join(stage.home, 'file'), '');
    for (const home of [join(stage.home, 'file'), '/sys/kernel', '/dev/null']) {
      const env = { ...stage.env, COPPICE_HOME: join(home, 'state') };
      const end = await runProgram(['-p', 'hello'], { cwd: stage.folder, env });
      expect(end, home).toMatchObject({ code: 1, stdout: '' });
      expect(end.stderr).toContain('set COPPICE_HOME to a folder that you can write to');
      expect(end.stderr).not.toContain('free some space');
    }
  });

  it('settings in a home that can’t be read are not taken for none: the file is named', async () => {
    const stage = await setStage([{ reply: 'hello' }]);
    await symlink('.claude', join(stage.home, '.claude'));
    const end = await runProgram(['-p', 'hello'], stage.at);
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toContain(`${join(stage.home, '.claude', 'settings.json')}: error: cannot read the file`);
    expect(stage.sim.requests).toEqual([]);
  });

  it('DU-11: sessions that can’t be listed are not taken for none', async () => {
    const stage = await setStage([{ reply: 'hello' }]);
    await runProgram(['-p', 'hello'], stage.at);
    const projects = join(stage.env.COPPICE_HOME ?? '', 'projects');
    const [name = ''] = (await readdir(projects)).filter((one) => !one.endsWith('.recent'));
    await rename(join(projects, name), join(projects, 'aside'));
    await writeFile(join(projects, name), '');
    const end = await runProgram(['-p', 'hello', '--continue'], stage.at);
    expect(end).toMatchObject({ code: 1 });
    expect(end.stderr).toContain("can't be read");
  });
});

describe('a home that is taken away while a session is open', () => {
  it('DU-3: is noticed at the next thing that must be saved, and reported', async () => {
    for (const take of ['rm -r', 'mv -t ..']) {
      const stage = await setStage([
        { when: { result: { tool: 'Bash' } }, reply: 'all is well' },
        { reply: [{ tool: 'Bash', input: { command: `${take} "$HOME/.coppice"; echo gone` } }] },
      ]);
      const end = await runProgram(['-p', 'go', ...BYPASS], stage.at);
      expect(end, end.stderr).toMatchObject({ code: 1 });
      expect(end.stdout).not.toContain('all is well');
      expect(end.stderr).toContain('deleted or moved away while the session was open');
      expect(end.stderr).toContain('restore it, or start a new session');
      expect(stage.sim.requests).toHaveLength(1);
    }
  });
});

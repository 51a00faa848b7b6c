/** A home that can't be used, and one that is taken away while a session is open, with the real program. */

import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../support/program.js';
import { setStage } from '../../support/story.js';

beforeAll(buildProgram);

describe('a home that can’t be used', () => {
  it('DU-3: HOME itself a file or a link to itself, or ~/.coppice not to be entered: what to do, and no bug of ours', async () => {
    const stage = await setStage([{ reply: 'hello' }]);
    const [file, loop, shut] = ['file', 'loop', 'shut'].map((name) => join(stage.home, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(file, '');
    await symlink('loop', loop);
    await mkdir(shut);
    await symlink('.coppice', join(shut, '.coppice'));
    for (const HOME of [file, loop, shut, '/proc/none']) {
      const env = { ...stage.env, HOME, COPPICE_HOME: undefined, COPPICE_CONFIG_DIR: stage.home };
      const end = await runProgram(['-p', 'hello'], { cwd: stage.folder, env });
      expect(end, `${HOME}: ${end.stderr}`).toMatchObject({ code: 1, signal: null, stdout: '' });
      expect(end.stderr).toContain('set COPPICE_HOME to a folder that you can write to');
      expect(end.stderr).not.toContain('bug in coppice');
    }
    expect(stage.sim.requests).toEqual([]);
  });

  it('an empty or relative one is refused before anything is made, by sessions and subcommands', async () => {
    const stage = await setStage([{ reply: 'hello' }]);
    const nobody = { ...stage.env, COPPICE_HOME: undefined };
    const homes = [
      { env: { ...nobody, HOME: '' }, reason: 'error: HOME is "": set it to the absolute path of your home folder' },
      { env: { ...nobody, HOME: 'here' }, reason: 'error: HOME is "here": set it to the absolute path' },
      { env: { ...stage.env, HOME: '' }, reason: 'error: HOME is "": set it' },
      { env: { ...stage.env, COPPICE_HOME: 'state' }, reason: 'error: COPPICE_HOME is "state": set it to an absolute' },
    ];
    const before = await readdir(stage.folder);
    for (const { env, reason } of homes) {
      for (const args of [['-p', 'hello'], ['trust'], ['doctor'], ['sessions']]) {
        const end = await runProgram(args, { cwd: stage.folder, env });
        expect(end, `${args} ${reason}`).toMatchObject({ code: 1, stdout: '' });
        expect(end.stderr).toContain(reason);
        expect(end.stderr).not.toContain('bug in coppice');
      }
    }
    expect(await readdir(stage.folder)).toEqual(before);
    expect(stage.sim.requests).toEqual([]);
  });

  it('one that settings make relative is refused, and nothing is made there', async () => {
    const stage = await setStage([{ reply: 'hello' }]);
    const before = await readdir(stage.folder);
    const settings = JSON.stringify({ env: { COPPICE_HOME: 'state' } });
    const end = await runProgram(['-p', 'hello', '--settings', settings], stage.at);
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toContain('"env" in the settings: COPPICE_HOME is "state": set it to an absolute path');
    expect(await readdir(stage.folder)).toEqual(before);
    expect(stage.sim.requests).toEqual([]);
  });
});

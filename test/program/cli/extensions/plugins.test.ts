/** Plugins on the command line: `--plugin-dir`, `coppice plugins`, and the question in the terminal (EX-18, EX-19). */

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';
import { setPlainStage } from '../plain/plain-stage.js';
import { REPLY, ran, rows, states, writePlugin } from './plugins-stage.js';

beforeAll(buildProgram);

describe('EX-19: coppice plugins', () => {
  it('EX-19: list shows what each has and does; approve shows it all, and from then on it acts', async () => {
    const stage = await setStage(REPLY);
    const folder = await writePlugin(stage, '../mine');
    await stage.settings({ plugins: [folder] });
    expect(await rows(stage)).toMatchObject([
      {
        name: 'mine',
        status: 'not-approved',
        scope: 'user',
        folder,
        parts: { skills: ['mine:s'], hooks: ['SessionStart'] },
        acts: [
          'hooks (hooks/hooks.json)',
          '  SessionStart',
          '    runs touch ran',
          'skills/s/SKILL.md allows, while it is used: Bash(git *)',
        ],
      },
    ]);
    const list = await runProgram(['plugins', 'list'], stage.at);
    expect(list.stdout).toContain(
      'mine  not approved: its automatic parts are ignored: run coppice plugins approve mine',
    );
    const first = await runProgram(['-p', 'hi'], stage.at);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Hello.') });
    expect(first.stderr).toContain('run coppice plugins approve mine');
    expect(ran(stage)).toBe(false);
    const shown = await runProgram(['plugins', 'approve'], stage.at);
    expect(shown.stdout).toContain('    |       runs touch ran\n');
    expect(shown.stderr).toContain('Nothing is approved yet');
    expect(await states(stage)).toEqual({ mine: 'not-approved' });
    const approved = await runProgram(['plugins', 'approve', 'mine'], stage.at);
    expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('Approved as shown: mine.') });
    expect(approved.stdout).toContain('skills/s/SKILL.md allows, while it is used: Bash(git *)');
    expect(await states(stage)).toEqual({ mine: 'approved' });
    const second = await runProgram(['-p', 'hi'], stage.at);
    expect(second.stderr).not.toContain('approve');
    expect(ran(stage)).toBe(true);
    expect(await runProgram(['plugins', 'approve', 'mine'], stage.at)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('mine is already approved'),
    });
    expect(await runProgram(['plugins', 'approve', 'none'], stage.at)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no plugin none here'),
    });
  });

  it('EX-6: its agents are among those that coppice agents lists', async () => {
    const stage = await setStage();
    await stage.write('../mine/agents/scout.md', '---\nname: scout\ndescription: looks around\n---\nx\n');
    await stage.settings({ plugins: [join(stage.folder, '../mine')] });
    expect((await runProgram(['agents'], stage.at)).stdout).toContain('mine:scout');
  });
});

describe('EX-19: the question in the terminal', () => {
  it('EX-19: the user’s own are asked about wherever they are, once, and again when they change', async () => {
    const stage = await setPlainStage(REPLY);
    const folder = await writePlugin(stage, '../mine');
    await stage.settings({ plugins: [folder] });
    const no = stage.pipe(['--plain', 'hi']);
    no.say('n');
    expect(await no.end()).toBe(0);
    expect(no.stdout()).toContain('You have new or changed plugins that you have not approved.');
    expect(no.stdout()).toContain('    |       runs touch ran\n');
    expect(no.stdout()).not.toContain('Do you trust');
    expect(ran(stage)).toBe(false);
    const yes = stage.pipe(['--plain', 'hi']);
    yes.say('y');
    expect(await yes.end()).toBe(0);
    expect(yes.stdout()).toContain('with exactly the plugins shown');
    expect(ran(stage)).toBe(true);
    const quiet = stage.pipe(['--plain', 'hi']);
    expect(await quiet.end()).toBe(0);
    expect(quiet.stdout()).not.toContain('not approved');
    await stage.write('../mine/more.txt', 'x');
    const again = stage.pipe(['--plain', 'hi']);
    again.say('n');
    await again.end();
    expect(again.stdout()).toContain('same as you approved, but a file it names has changed');
  });
});

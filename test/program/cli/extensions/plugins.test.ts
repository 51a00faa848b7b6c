/** Plugins on the command line: `--plugin-dir`, `coppice plugins`, and the question in the terminal (EX-18, EX-19). */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import type { Stage } from '../../../support/story.js';
import { setStage } from '../../../support/story.js';
import { setPlainStage } from '../plain/plain-stage.js';

beforeAll(buildProgram, 120_000);

const REPLY = [{ reply: 'Hello.' }];
const starts = (command: string) =>
  JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] } });

/** A plugin whose hook leaves a file in the project. */
async function writePlugin(stage: Stage, where: string, file = 'ran'): Promise<string> {
  await stage.write(`${where}/hooks/hooks.json`, starts(`touch ${file}`));
  await stage.write(`${where}/skills/s/SKILL.md`, '---\ndescription: d\nallowed-tools: Bash(git *)\n---\nx\n');
  return join(stage.folder, where);
}

type Row = { readonly name: string; readonly status: string; readonly scope: string; readonly acts: readonly string[] };

const rows = async (stage: Stage, ...args: string[]): Promise<readonly Row[]> =>
  JSON.parse((await runProgram(['plugins', 'list', '--json', ...args], stage.at)).stdout).plugins;
const states = async (stage: Stage) =>
  Object.fromEntries((await rows(stage)).map(({ name, status }) => [name, status]));
const ran = (stage: Stage, name = 'ran') => existsSync(join(stage.folder, name));

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
      'mine  not approved: what acts by itself does not count: run coppice plugins approve mine',
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
      stderr: expect.stringContaining('mine is approved already'),
    });
    expect(await runProgram(['plugins', 'approve', 'none'], stage.at)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no plugin none here'),
    });
  });

  it('EX-18: --plugin-dir, several times; with --trust it acts; what is no plugin is wrong usage', async () => {
    const stage = await setStage([...REPLY, ...REPLY]);
    await writePlugin(stage, '../one', 'one');
    await writePlugin(stage, '../two', 'two');
    const dirs = ['--plugin-dir', '../one', '--plugin-dir', '../two'];
    expect((await rows(stage, ...dirs)).map(({ name, scope }) => [name, scope])).toEqual([
      ['one', 'flag'],
      ['two', 'flag'],
    ]);
    const plain = await runProgram(['-p', 'hi', ...dirs], stage.at);
    expect(plain.stderr).toContain('2 plugins are not approved');
    expect([ran(stage, 'one'), ran(stage, 'two')]).toEqual([false, false]);
    expect(await runProgram(['-p', 'hi', '--trust', ...dirs], stage.at)).toMatchObject({ code: 0 });
    expect([ran(stage, 'one'), ran(stage, 'two')]).toEqual([true, true]);
    for (const args of [
      ['-p', 'hi', '--plugin-dir', '../none'],
      ['plugins', 'list', '--plugin-dir', '../none'],
      ['plugins', 'approve', 'x', '--plugin-dir', '../none'],
    ])
      expect(await runProgram(args, stage.at)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--plugin-dir ../none: there is no such folder'),
      });
    expect(await runProgram(['plugins', 'approve', 'one', '--plugin-dir', '../one'], stage.at)).toMatchObject({
      code: 0,
    });
    const rest = await runProgram(['-p', 'hi', ...dirs], stage.at);
    expect(rest.stderr).toContain('1 plugin is not approved');
    expect(rest.stderr).toContain('plugins approve two');
  });

  it('EX-19: what a project proposes is listed, and loaded after approval and trust', async () => {
    const stage = await setStage(REPLY);
    await writePlugin(stage, 'tools/p');
    await stage.write('.claude/settings.json', JSON.stringify({ plugins: ['./tools/p'] }));
    expect(await states(stage)).toEqual({ p: 'not-approved' });
    const approved = await runProgram(['plugins', 'approve', 'p'], stage.at);
    expect(approved.stderr).toContain('This folder is not trusted');
    expect(await states(stage)).toEqual({ p: 'not-trusted' });
    await runProgram(['-p', 'hi'], stage.at);
    expect(ran(stage)).toBe(false);
    await runProgram(['trust'], stage.at);
    expect(await states(stage)).toEqual({ p: 'approved' });
    await runProgram(['-p', 'hi'], stage.at);
    expect(ran(stage)).toBe(true);
  });

  it('EX-6: its agents are among those that coppice agents lists', async () => {
    const stage = await setStage();
    await stage.write('../mine/agents/scout.md', '---\nname: scout\ndescription: looks around\n---\nx\n');
    await stage.settings({ plugins: [join(stage.folder, '../mine')] });
    expect((await runProgram(['agents'], stage.at)).stdout).toContain('mine:scout');
  });
});

describe('EX-19: the question in the terminal', () => {
  it('EX-19: the person’s own are asked about wherever they are, once, and again when they change', async () => {
    const stage = await setPlainStage(REPLY);
    const folder = await writePlugin(stage, '../mine');
    await stage.settings({ plugins: [folder] });
    const no = stage.pipe(['--plain', 'hi']);
    no.say('n');
    expect(await no.end()).toBe(0);
    expect(no.stdout()).toContain('You have plugins that you have not approved: they are new, or have changed.');
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
    expect(again.stdout()).toContain('the same as you approved, but a file it names has changed');
  });

  it('EX-19: what a project proposes is a part of the question whether to trust it', async () => {
    const stage = await setPlainStage(REPLY);
    await writePlugin(stage, 'tools/p');
    await stage.write(
      '.claude/settings.json',
      JSON.stringify({ plugins: ['./tools/p'], ...JSON.parse(starts('touch own')) }),
    );
    const no = stage.pipe(['--plain', 'hi']);
    no.say('n');
    expect(await no.end()).toBe(0);
    expect(no.stdout()).toContain('Do you trust this folder?');
    expect(no.stdout()).toContain('    | p, which this project proposes\n');
    expect([ran(stage), ran(stage, 'own')]).toEqual([false, false]);
    const yes = stage.pipe(['--plain', 'hi']);
    yes.say('y');
    expect(await yes.end()).toBe(0);
    expect(yes.stdout()).toContain('with exactly the hooks and plugins shown');
    expect([ran(stage), ran(stage, 'own')]).toEqual([true, true]);
    await stage.write('tools/p/hooks/hooks.json', starts('touch other'));
    const changed = stage.pipe(['--plain', 'hi']);
    changed.say('n');
    await changed.end();
    expect(changed.stdout()).toContain('This folder has plugins that you have not approved');
    expect(changed.stdout()).toContain('approved before: hooks (hooks/hooks.json) · SessionStart · runs touch ran');
    expect(ran(stage, 'other')).toBe(false);
  });
});

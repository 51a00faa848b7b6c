/** Plugins on the command line: `--plugin-dir`, `coppice plugins`, and the question in the terminal (EX-18, EX-19). */

import { beforeAll, describe, expect, it } from 'vitest';
import { REPLY, ran, rows, starts, states, writePlugin } from '../../../program/cli/extensions/plugins-stage.js';
import { setPlainStage } from '../../../program/cli/plain/plain-stage.js';
import { buildProgram, runProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';

beforeAll(buildProgram);

describe('EX-19: coppice plugins', () => {
  it('EX-18: --plugin-dir, several times; with --trust it acts; what is no plugin is a usage error', async () => {
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
});

describe('EX-19: the question in the terminal', () => {
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
    expect(no.stdout()).toContain('    | p (proposed by this project)\n');
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
    expect(changed.stdout()).toContain('This folder has new or changed plugins that you have not approved');
    expect(changed.stdout()).toContain('approved before: hooks (hooks/hooks.json) · SessionStart · runs touch ran');
    expect(ran(stage, 'other')).toBe(false);
  });
});

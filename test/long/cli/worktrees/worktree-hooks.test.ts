/** WT-11 for sessions: a WorktreeCreate hook makes their worktree, also outside git; WorktreeRemove is notified of removals. */

import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BYPASS, setRepository, WRITES } from '../../../program/cli/worktrees/worktree-stage.js';
import { runProgram } from '../../../support/program.js';

/** Makes `trees/<name>` in the home, as another version control would. */
const CREATE = `name=$(sed 's/.*"name":"\\([^"]*\\)".*/\\1/'); mkdir -p "$HOME/trees/$name"; echo "$HOME/trees/$name"`;
const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }];

it('WT-11: a WorktreeCreate hook replaces git: the session works where it says, outside git too, and that is always kept', async () => {
  const stage = await setRepository(WRITES);
  await stage.settings({ hooks: { WorktreeCreate: hook(CREATE) } });
  const outside = join(stage.home, 'plain');
  await mkdir(outside);
  for (const cwd of [stage.folder, outside]) {
    const name = cwd === outside ? 'two' : 'one';
    const made = join(stage.home, 'trees', name);
    const first = await runProgram(['-p', 'talk', '--worktree', name], { ...stage.at, cwd });
    expect(first, first.stderr).toMatchObject({ code: 0, stdout: 'Only words.\n' });
    expect(first.stderr).toMatch(
      new RegExp(`Kept worktree ${name}: it was created by a WorktreeCreate hook.*\\n  ${made}`),
    );
    const again = ['-p', 'write it', '--worktree', name, '--continue', ...BYPASS];
    expect(await runProgram(again, { ...stage.at, cwd })).toMatchObject({ code: 0 });
    expect(await readFile(join(made, 'made.txt'), 'utf8')).toBe('new\n');
    expect(JSON.stringify(stage.sim.requests.at(-1)?.body.messages)).toContain('talk');
  }
  expect(stage.linked()).toEqual([]);
  expect(stage.git('branch', '--list', 'worktree-*')).toBe('');
});

it('WT-11: a hook that fails, prints nothing, or a place that will not do: exit code 2 with its reason, and nothing is made', async () => {
  const stage = await setRepository(WRITES);
  for (const [command, reason] of [
    ['echo no room >&2; exit 2', /no room/],
    ['true', /printed no path/],
    ['echo trees/x', /is not absolute/],
    ['echo /nowhere/at/all', /is not a folder that exists/],
    [`echo ${stage.folder}`, /is, or holds, the checkout/],
  ] as const) {
    await stage.settings({ hooks: { WorktreeCreate: hook(command) } });
    const end = await runProgram(['-p', 'hi', '--worktree', 'fix'], stage.at);
    expect(end).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(reason) });
    expect(await stage.records()).toEqual([]);
    expect(existsSync(join(stage.folder, '.git/coppice/worktrees/fix.lock'))).toBe(false);
  }
  expect(stage.sim.requests).toEqual([]);
});

it('WT-11: WorktreeRemove is notified of a worktree that is removed on leaving, while it is still there', async () => {
  const stage = await setRepository(WRITES);
  const log = join(stage.home, 'removed.log');
  await writeFile(log, '');
  const tell = `path=$(sed 's/.*"worktree_path":"\\([^"]*\\)".*/\\1/'); test -d "$path" && echo "$path" >> ${log}`;
  await stage.settings({ hooks: { WorktreeRemove: hook(tell) } });
  const end = await runProgram(['-p', 'talk', '--worktree', 'fix'], stage.at);
  expect(end, end.stderr).toMatchObject({ code: 0, stderr: expect.stringContaining('Removed worktree fix') });
  expect(await readFile(log, 'utf8')).toBe(`${stage.inWorktree('fix')}\n`);
});

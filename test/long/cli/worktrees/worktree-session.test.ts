/** WT-10: `coppice --worktree [name]` without a screen: the whole session works in a worktree. */

import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  BYPASS,
  NOTHING,
  notedGit,
  nothingMade,
  runGit,
  setRepository,
  WRITES,
} from '../../../program/cli/worktrees/worktree-stage.js';
import { runProgram } from '../../../support/program.js';

it('WT-1, WT-10: what is no name for a worktree: exit code 2, and nothing is made', async () => {
  const stage = await setRepository(WRITES);
  for (const name of ['Fix', '../fix', 'a b', '.fix', '-', 'fix.lock', 'x'.repeat(65), '']) {
    const end = await runProgram(['-p', 'hi', `--worktree=${name}`], stage.at);
    expect(end, name).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/not a valid worktree name.*a-z/),
    });
  }
  expect(await nothingMade(stage)).toEqual(NOTHING);
});

it('WT-10: without a repository, without a commit, or where the name is taken by somebody else: exit code 2, and what to do', async () => {
  const stage = await setRepository(WRITES);
  const outside = join(stage.home, 'plain');
  await mkdir(outside);
  const none = await runProgram(['-p', 'hi', '--worktree', 'fix'], { ...stage.at, cwd: outside });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringMatching(/not in a git repository \(git init/) });
  runGit(outside, ['init', '-q']);
  const empty = await runProgram(['-p', 'hi', '--worktree', 'fix'], { ...stage.at, cwd: outside });
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringMatching(/commit/) });
  expect(existsSync(join(outside, '.claude'))).toBe(false);
  stage.git('branch', 'worktree-taken');
  const branch = await runProgram(['-p', 'hi', '--worktree', 'taken'], stage.at);
  expect(branch).toMatchObject({ code: 2, stderr: expect.stringMatching(/worktree-taken/) });
  stage.git('worktree', 'add', '-q', '.claude/worktrees/theirs');
  const theirs = await runProgram(['-p', 'hi', '--worktree', 'theirs'], stage.at);
  expect(theirs).toMatchObject({ code: 2, stderr: expect.stringMatching(/exists already/) });
  expect(stage.linked()).toEqual(['theirs']);
  expect(stage.git('branch', '--list', 'worktree-*').trim()).toBe('worktree-taken');
  expect(stage.sim.requests).toEqual([]);
});

it('WT-10: one that is there and not in use is resumed; its sessions resume with --continue and --resume', async () => {
  const stage = await setRepository(WRITES);
  await runProgram(['-p', 'in the main checkout'], stage.at);
  await runProgram(['-p', 'write it', '--worktree', 'fix', ...BYPASS], stage.at);
  const again = await runProgram(
    ['-p', 'and more', '--worktree', 'fix', '--continue', '--output-format', 'json'],
    stage.at,
  );
  expect(again, again.stderr).toMatchObject({ code: 0 });
  const { session_id, worktree } = JSON.parse(again.stdout) as { session_id: string; worktree: object };
  expect(worktree).toMatchObject({
    name: 'fix',
    path: stage.inWorktree('fix'),
    branch: 'worktree-fix',
    outcome: 'kept',
  });
  const sent = JSON.stringify(stage.sim.requests.at(-1)?.body.messages);
  expect(sent).toContain('write it');
  expect(sent).not.toContain('in the main checkout');
  const by = await runProgram(['-p', 'third', '--worktree', 'fix', '--resume', session_id.slice(0, 20)], stage.at);
  expect(by, by.stderr).toMatchObject({ code: 0 });
  expect(stage.linked()).toEqual(['fix']);
});

it('WT-10: a worktree that was removed is made again for its sessions; none is made for a session that is not there', async () => {
  const stage = await setRepository(WRITES);
  await runProgram(['-p', 'first words', '--worktree', 'fix'], stage.at);
  expect(stage.linked()).toEqual([]);
  const again = await runProgram(['-p', 'write it', '--worktree', 'fix', '--continue', ...BYPASS], stage.at);
  expect(again, again.stderr).toMatchObject({ code: 0 });
  expect(JSON.stringify(stage.sim.requests.at(-1)?.body.messages)).toContain('first words');
  expect(existsSync(stage.inWorktree('fix', 'made.txt'))).toBe(true);
  const { at, runs } = await notedGit(stage);
  for (const args of [
    ['--worktree', 'other', '--continue'],
    ['--worktree', 'other', '--resume', '0123'],
  ]) {
    const none = await runProgram(['-p', 'hi', ...args], at);
    expect(none, none.stderr).toMatchObject({ code: 2 });
    expect(stage.linked()).toEqual(['fix']);
  }
  expect((await runs()).filter((run) => run.includes('worktree add'))).toEqual([]);
  const nameless = await runProgram(['-p', 'hi', '--worktree', '--continue'], stage.at);
  expect(nameless).toMatchObject({ code: 2, stderr: expect.stringContaining('need the name of the worktree') });
});

it('WT-10: in a subfolder the session works in the same folder of the worktree, or at its top where that is not committed', async () => {
  const stage = await setRepository([
    { when: { result: { tool: 'Bash' } }, reply: '{{result}}' },
    { reply: [{ tool: 'Bash', input: { command: 'pwd' } }] },
  ]);
  const deep = await runProgram(['-p', 'where', '--worktree', 'fix'], { ...stage.at, cwd: join(stage.folder, 'sub') });
  expect(deep, deep.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining(stage.inWorktree('fix', 'sub')) });
  await mkdir(join(stage.folder, 'new'));
  const top = await runProgram(['-p', 'where', '--worktree', 'fix'], { ...stage.at, cwd: join(stage.folder, 'new') });
  expect(top).toMatchObject({ code: 0, stdout: `${stage.inWorktree('fix')}\n` });
  expect(top.stderr).toContain('new is not in the worktree');
});

it('WT-10: --rewind-to without a prompt goes back in the session of the worktree, not in that of the checkout', async () => {
  const stage = await setRepository([
    { when: { result: { tool: 'Write' } }, reply: 'It is written.' },
    {
      when: { user: /^write\b/m },
      reply: ({ body }) => {
        const [, folder] = /Working folder: (.+?)\\n/.exec(JSON.stringify(body.messages)) ?? [];
        return [{ tool: 'Write', input: { file_path: `${folder}/made.txt`, content: 'new' } }];
      },
    },
  ]);
  await runProgram(['-p', 'write here', ...BYPASS], stage.at);
  await runProgram(['-p', 'write there', '--worktree', 'fix', ...BYPASS], stage.at);
  const made = [join(stage.folder, 'made.txt'), stage.inWorktree('fix', 'made.txt')];
  expect(made.map((path) => existsSync(path))).toEqual([true, true]);
  const back = await runProgram(['--worktree', 'fix', '--continue', '--rewind-to', '1'], stage.at);
  expect(back, back.stderr).toMatchObject({ code: 0 });
  expect(existsSync(join(stage.folder, 'made.txt'))).toBe(true);
  expect(existsSync(stage.inWorktree('fix', 'made.txt'))).toBe(false);
});

it('WT-10: a session that can not be opened leaves no worktree behind, and keeps one with work', async () => {
  const stage = await setRepository(WRITES);
  const keyless = { ...stage.at, env: { ...stage.env, ANTHROPIC_API_KEY: undefined } };
  const end = await runProgram(['-p', 'hi', '--worktree', 'fix'], keyless);
  expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining('ANTHROPIC_API_KEY') });
  expect(await nothingMade(stage)).toMatchObject({ linked: [], records: [], branches: '' });
  await runProgram(['-p', 'write it', '--worktree', 'fix', ...BYPASS], stage.at);
  await runProgram(['-p', 'hi', '--worktree', 'fix'], keyless);
  expect(await readFile(stage.inWorktree('fix', 'made.txt'), 'utf8')).toBe('new\n');
});

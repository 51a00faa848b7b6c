/** WT-10: `coppice --worktree [name]` without a screen: the whole session works in a worktree. */

import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram, startProgram } from '../../../support/program.js';
import { expectAllAccepted } from '../../../support/story.js';
import { until } from '../../../support/until.js';
import { BYPASS, nothingMade, runGit, setRepository, WRITES } from './worktree-stage.js';

const FOR_EVER = 600_000;

const HOOK = { type: 'command', command: 'sh start.sh' };

it('WT-10: the session works in the worktree; what changed there is kept, and it is reported where and how to get it', async () => {
  const stage = await setRepository(WRITES);
  const end = await runProgram(['-p', 'write it', '--worktree', 'fix', ...BYPASS], stage.at);
  expect(end, end.stderr).toMatchObject({ code: 0, stdout: 'It is written.\n' });
  expect(await readFile(stage.inWorktree('fix', 'made.txt'), 'utf8')).toBe('new\n');
  expect(stage.git('status', '--porcelain')).toBe('');
  expect(runGit(stage.inWorktree('fix'), ['branch', '--show-current'])).toBe('worktree-fix\n');
  expect(end.stderr).toContain(`${stage.inWorktree('fix')} (branch worktree-fix)`);
  for (const way of ['diff', 'apply', 'remove']) expect(end.stderr).toContain(`coppice worktree ${way} fix`);
  // Nobody works in it any more.
  expect(stage.git('worktree', 'list', '--porcelain')).not.toMatch(/^locked/m);
  expect(existsSync(join(stage.folder, '.git/coppice/worktrees/fix.lock'))).toBe(false);
  expectAllAccepted(stage.sim);
});

it('WT-10: one in which nothing changed is removed on leaving, with its branch, in one line', async () => {
  const stage = await setRepository(WRITES);
  const end = await runProgram(['-p', 'talk', '--worktree'], stage.at);
  expect(end, end.stderr).toMatchObject({ code: 0, stdout: 'Only words.\n' });
  expect(end.stderr).toMatch(/^Removed worktree session-[0-9a-f]{8}: it had no changes\.\n$/);
  expect(await nothingMade(stage)).toMatchObject({ linked: [], records: [], branches: '' });
});

it('WT-10: while it is open it is locked, and another process is refused with exit code 2', async () => {
  const stage = await setRepository([{ reply: 'later', delay: { firstMs: FOR_EVER } }]);
  const running = startProgram(['-p', 'hi', '--worktree', 'fix'], stage.at);
  await stage.sim.received(1);
  expect(stage.git('worktree', 'list', '--porcelain')).toMatch(/^locked coppice: in use by session /m);
  const second = await runProgram(['-p', 'hi', '--worktree', 'fix'], stage.at);
  expect(second).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/fix.*in use/) });
  expect(stage.sim.requests).toHaveLength(1);
  running.child.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 143, stderr: expect.stringContaining('Removed worktree fix') });
  expect(stage.linked()).toEqual([]);
});

it('WT-10: killed, it is unchanged, and the next start with its name resumes it', async () => {
  const stage = await setRepository([{ reply: 'later', delay: { firstMs: FOR_EVER }, times: 1 }, ...WRITES]);
  const running = startProgram(['-p', 'hi', '--worktree', 'fix'], stage.at);
  await stage.sim.received(1);
  running.child.kill('SIGKILL');
  await running.ended;
  expect(stage.linked()).toEqual(['fix']);
  const next = await runProgram(['-p', 'write it', '--worktree', 'fix', ...BYPASS], stage.at);
  expect(next, next.stderr).toMatchObject({ code: 0 });
  expect(await readFile(stage.inWorktree('fix', 'made.txt'), 'utf8')).toBe('new\n');
  expect(stage.git('worktree', 'list', '--porcelain')).not.toMatch(/^locked/m);
});

it('WT-10, SF-5: stream-json both ways reports what became of the worktree in its own line', async () => {
  const stage = await setRepository(WRITES);
  const args = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--worktree', 'fix'];
  const input = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'write it' } })}\n`;
  const end = await runProgram([...args, ...BYPASS], { ...stage.at, input });
  expect(end, end.stderr).toMatchObject({ code: 0 });
  const lines = end.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.find(({ subtype }) => subtype === 'init')).toMatchObject({ cwd: stage.inWorktree('fix') });
  expect(lines.at(-1)).toMatchObject({
    type: 'system',
    subtype: 'worktree',
    worktree: { name: 'fix', path: stage.inWorktree('fix'), branch: 'worktree-fix', outcome: 'kept' },
    line: expect.stringContaining('coppice worktree apply fix'),
  });
});

it('WT-10, GT-3: trust and approved hooks of the project hold in its worktree; paths on the command line are meant from outside', async () => {
  const stage = await setRepository(WRITES);
  await stage.write('.claude/settings.json', JSON.stringify({ hooks: { SessionStart: [{ hooks: [HOOK] }] } }));
  await stage.write('start.sh', 'touch hooked\n');
  stage.git('add', '-A');
  stage.git('commit', '-qm', 'a hook');
  const asked = stage.pipe(['--plain', 'hi']);
  asked.say('y');
  expect(await asked.end()).toBe(0);
  await rm(join(stage.folder, 'hooked'));
  await mkdir(join(stage.home, 'beside'));
  const args = ['-p', 'hi', '--worktree', 'fix', '--add-dir', '../../home/beside'];
  const end = await runProgram(args, { ...stage.at, cwd: join(stage.folder, 'sub') });
  expect(end, end.stderr).toMatchObject({ code: 0 });
  expect(end.stderr).not.toContain('not approved');
  // The hook ran, in the worktree: that is what has changed there.
  await until(() => existsSync(stage.inWorktree('fix', 'hooked')), 'the hook ran');
  expect(existsSync(join(stage.folder, 'hooked'))).toBe(false);
});

import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { place } from '../../program/cli/demo/demo-stage.js';
import { runningWith } from '../../support/processes.js';
import { buildProgram, runProgram, runShell, startProgram } from '../../support/program.js';
import { until } from '../../support/until.js';

beforeAll(buildProgram);

it('SF-13: forks, asks, is notified of an end, is killed and continues; the same outcome twice', async () => {
  const { folder, start } = await place();
  const first = await runProgram(['demo'], start);
  expect(first, first.stdout + first.stderr).toMatchObject({ code: 0, stderr: '' });
  for (const line of [
    /^ {2}fix +forked, in a worktree on the branch worktree-agent-\w{8}$/m,
    /^ {2}audit +forked, in the background$/m,
    /^ {2}fix +asks you: may I run {2}node --test {2}\?\n +you: yes, once$/m,
    /^ {2}fix +Bash git add total\.mjs && git commit /m,
    /^ {2}fix +done: .*node --test passes; committed/m,
    /^ {2}path +\.claude\/worktrees\/agent-(\w{8})\n {2}branch +worktree-agent-\1: Count the first item.*\n {2}apply it +coppice worktree apply agent-\1$/m,
    /^ {2}main +gets a notice: audit is done$/m,
    /kill -9 \d+/,
    /^ {2}note +resumed\n {2}note +done: /m,
    /note +2 requests, completed \(killed, resumed\)/,
    /read +written/,
    /byte for byte: \$0\.0\d+ instead of \$0\.\d+, [78]\d% less/,
    /transcript|~\/\.coppice/,
  ]) {
    expect(first.stdout).toMatch(line);
  }
  expect(await readdir(folder)).toEqual([]);
  const second = await runProgram(['demo'], start);
  expect(outcome(second.stdout)).toEqual(outcome(first.stdout));
  expect(await readdir(folder)).toEqual([]);
});

it('SF-13: --keep keeps the repository, the fixed worktree to apply, and the transcripts', async () => {
  const { folder, start } = await place();
  const end = await runProgram(['demo', '--keep'], start);
  expect(end, end.stderr).toMatchObject({ code: 0, stderr: '' });
  const [kept = ''] = await readdir(folder);
  expect(kept).toMatch(/^coppice-demo-/);
  const repo = join(folder, kept, 'shop');
  expect(await readdir(repo)).toContain('CHANGES.md');
  const at = { ...start, cwd: repo };
  expect(await runShell('node --test total.test.mjs', at)).toMatchObject({ code: 1 });
  const [command = ''] = /coppice worktree apply agent-\w{8}/.exec(end.stdout) ?? [];
  const applied = await runShell(`${command} && node --test total.test.mjs`, at);
  expect(applied, applied.stdout + applied.stderr).toMatchObject({ code: 0 });
  const [, transcript = ''] = /^ {2}transcript +(.*)$/m.exec(end.stdout) ?? [];
  expect(transcript.startsWith(join(folder, kept))).toBe(true);
  await rm(join(folder, kept), { recursive: true });
});

it('SF-13: interrupted, or left by its reader, it leaves neither files nor processes', async () => {
  const { folder, start } = await place();
  // Node's own arguments are handed on to the sessions the demo starts, so they go by the same title.
  const title = basename(folder);
  const running = startProgram(['demo'], { ...start, node: [`--title=${title}`] });
  // In its second part the demo has a session in its own process, until it kills that one.
  await until(() => running.stdout().includes('coppice --continue'), 'the second part begins', 45_000);
  await until(() => runningWith(title).length >= 2, 'its session runs');
  running.child.kill('SIGINT');
  expect(await running.ended).toMatchObject({ code: 130 });
  expect(await readdir(folder)).toEqual([]);
  const left = await runShell('coppice demo | head -n 1', start);
  expect(left.stdout).toMatch(/Coppice/);
  expect(await readdir(folder)).toEqual([]);
  expect(runningWith(title)).toEqual([]);
});

/**
 * Without what differs each time: process ids, the order in which forks that work at once say something, and the exact
 * size of requests (they hold how many milliseconds a child took).
 */
function outcome(stdout: string): string[] {
  return stdout
    .replace(/kill -9 \d+/, 'kill -9 PID')
    .replace(/agent-\w{8}/g, 'agent-ID')
    .replace(/^( {2}(?:audit|fix|note|search) ) +[\d,]+ .*$/gm, '$1 SIZES')
    .replace(/<?\$[\d.]+ instead of \$[\d.]+, \d+ ?%/, 'MONEY')
    .split('\n')
    .sort();
}

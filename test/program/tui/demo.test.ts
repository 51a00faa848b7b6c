/** The demo at a real terminal: live progress, and the same session played in the terminal itself. */

import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { QUIET_MS } from '../../../src/front/tui/input/answer-guard.js';
import { runningWith } from '../../support/processes.js';
import { buildProgram } from '../../support/program.js';
import { scratchFolder } from '../../support/scratch.js';
import { count, expectEarlierLines, openTerminal, PROGRAM, type TestTerminal } from './terminal-stage.js';

beforeAll(buildProgram);

/** A folder for temporary files of its own: what is left in it is the demo's, as is every process with its title. */
async function openDemo(...flags: string[]) {
  const folder = await scratchFolder();
  const title = basename(folder);
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, TERM: 'xterm-256color', LANG: 'C.UTF-8' };
  // Node's own arguments are handed on to the processes that the demo starts.
  const args = [process.execPath, `--title=${title}`, PROGRAM, 'demo', ...flags];
  const at = openTerminal(folder, args, env, { file: '/usr/bin/env', columns: 110, rows: 36 });
  const left = async () => ({ files: await readdir(folder), processes: runningWith(title) });
  return { at, left };
}

const NOTHING = { files: [], processes: [] };

function expectSummary({ lines }: TestTerminal) {
  const text = lines().join('\n');
  for (const line of [
    /^Agents\n {2}main +6 requests\n {2}├─ audit +2 requests, completed \(background\)$/m,
    /├─ note +2 requests, completed \(killed, resumed\)/,
    /byte for byte: \$0\.0\d+ instead of \$0\.\d+, [78]\d% less/,
    /^ {2}apply it +coppice worktree apply agent-\w{8}$/m,
  ])
    expect(text).toMatch(line);
}

it('SF-13: at a terminal the demo shows live what goes on, and ends with the agents and the cache table', async () => {
  const { at, left } = await openDemo();
  await at.untilSeen(/^agents 3 · .*working/m);
  await at.untilSeen(/^● audit .* waits for the model/m);
  await at.untilSeen('a new process goes on');
  expect(await at.ended).toBe(0);
  expectSummary(at);
  expectEarlierLines(at.lines());
  expect(count(at.lines(), 'asks you: may I run  node --test')).toBe(1);
  // What was live is gone.
  expect(at.lines().join('\n')).not.toMatch(/^(agents \d|[✻✽✶✳✢])/m);
  expect(await left()).toEqual(NOTHING);
}, 60_000);

it('SF-13: Ctrl+C leaves the live demo with the terminal in order, and leaves nothing behind', async () => {
  const { at, left } = await openDemo();
  await at.untilSeen(/^agents \d/m);
  at.press('ctrl+c');
  expect(await at.ended).toBe(130);
  expect(at.terminal.modes.bracketedPasteMode).toBe(false);
  expectEarlierLines(at.lines());
  expect(await left()).toEqual(NOTHING);
}, 60_000);

it('SF-13: --play types the prompts in the real terminal, answers, is killed and continues in a new process', async () => {
  const { at, left } = await openDemo('--play');
  await at.untilSeen('> Customers pay');
  await at.untilSeen(/^mend \(fork, worktree agent-\w+\) asks$/m);
  // One of the forks is opened while another works.
  await at.untilSeen(/^mend · fork · /m);
  await at.until('The audit is back: 400 orders were too cheap, 8780 in all.');
  await at.until(/kill -9 \d+: the file is written/);
  await at.until('The note is in CHANGES.md');
  expect(await at.ended).toBe(0);
  expect(at.terminal.modes.bracketedPasteMode).toBe(false);
  expectSummary(at);
  expectEarlierLines(at.lines());
  expect(await left()).toEqual(NOTHING);
}, 90_000);

it('SF-13: at the question of --play the keys of the person count, and their no does not end the demo', async () => {
  const { at, left } = await openDemo('--play');
  await at.untilSeen('> Customers pay');
  at.type('these keys are swallowed');
  await at.untilSeen(/^mend \(fork, worktree agent-\w+\) asks$/m);
  expect(at.rows().join('\n')).not.toContain('swallowed');
  // A question takes no key in its first half second (TU-15).
  await setTimeout(QUIET_MS + 100);
  at.press('n');
  await at.untilSeen('enter says no');
  at.type('no tests today');
  at.press('enter');
  await at.until('Mended and committed on a branch of its own, but not tested');
  at.press('ctrl+c');
  expect(await at.ended).toBe(130);
  expect(await left()).toEqual(NOTHING);
}, 90_000);

/** What the terminal does when nothing happens, and what it loads (TU-32, SF-4). */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentCall } from '../../support/agent-call.js';
import { setTerminalStage } from './terminal-stage.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('TU-32: while nothing happens nothing is painted, and no timer ticks', async () => {
  const stage = await setTerminalStage([{ reply: 'Hello.' }]);
  const terminal = stage.open();
  await terminal.untilSeen('? keys');
  terminal.type('hi');
  terminal.press('enter');
  await terminal.untilSeen('Hello.');
  await terminal.untilGone('esc interrupts');
  await pause(500);
  const before = terminal.raw().length;
  await pause(1_500);
  expect(terminal.raw().length - before).toBe(0);
});

it('TU-32: agents at work cost a few hundred bytes a tick, however many they are', async () => {
  const stage = await setTerminalStage([
    { when: { said: 'task of a child' }, reply: 'done', delay: { firstMs: 60_000 } },
    {
      when: { nth: 1 },
      reply: Array.from({ length: 20 }, () => agentCall('the task of a child', { run_in_background: true })),
    },
    { reply: 'They work.' },
  ]);
  const terminal = stage.open(['--permission-mode', 'acceptEdits']);
  await terminal.untilSeen('? keys');
  terminal.type('go');
  terminal.press('enter');
  await terminal.untilSeen('They work.');
  await terminal.untilSeen(/agents 20/);
  await pause(500);
  const before = terminal.raw().length;
  await pause(2_000);
  // Their times change once a second: seven rows and the head.
  expect(terminal.raw().length - before).toBeLessThan(12_000);
});

it('TU-32, SF-4: the terminal loads its own packs and neither the rest nor what editors need', async () => {
  const stage = await setTerminalStage([{ reply: 'Hello.' }]);
  const coverage = join(stage.home, 'coverage');
  const terminal = stage.open([], { env: { NODE_V8_COVERAGE: coverage } });
  await terminal.untilSeen('? keys');
  terminal.type('hi');
  terminal.press('enter');
  await terminal.untilSeen('Hello.');
  await terminal.untilGone('esc interrupts');
  terminal.press('ctrl+d');
  expect(await terminal.ended).toBe(0);
  const packs = await loadedPacks(coverage);
  expect(packs).toEqual(expect.arrayContaining(['program', 'terminal', 'conversation']));
  expect(packs).not.toEqual(expect.arrayContaining(['rest']));
  expect(packs).not.toEqual(expect.arrayContaining(['acp']));
});

async function loadedPacks(coverage: string): Promise<string[]> {
  const reports = await Promise.all((await readdir(coverage)).map((name) => readFile(join(coverage, name), 'utf8')));
  const urls = reports.flatMap((report) => (JSON.parse(report) as { result: { url: string }[] }).result);
  return urls.flatMap(({ url }) => /\/([a-z]+)-[0-9a-f]{12}\.cjs$/.exec(url)?.[1] ?? []);
}

/** The terminal while idle, and the modules it loads (TU-32, SF-4). */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { setTerminalStage } from './terminal-stage.js';

it('TU-32: while idle nothing is painted, and no timer ticks', async () => {
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

it('TU-32, SF-4: the terminal loads its own bundles and neither the rest nor those of editors', async () => {
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

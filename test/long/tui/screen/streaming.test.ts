/** The screen under load: no history is lost or doubled, nothing is cleared (TU-1, TU-32). */

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../../support/bundle.js';
import { countLines, numbered, type PtyOptions, PtyTerminal } from '../../../support/pty-terminal.js';
import { until } from '../../../support/until.js';

const EARLIER = 50;
let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-test-'));
  program = await bundle(new URL('../../../program/tui/screen/streaming-child.ts', import.meta.url), folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function start(env: Record<string, string>, options: PtyOptions = {}): PtyTerminal {
  return new PtyTerminal(process.execPath, [program], {
    earlier: EARLIER,
    ...options,
    env: { TERM: 'xterm-256color', ...env },
  });
}

/** Everything once, in order, including the shell's earlier output; and nothing was cleared. */
async function expectWhole(terminal: PtyTerminal, count: number): Promise<void> {
  await terminal.settled();
  const lines = terminal.lines();
  expect(countLines(lines, numbered('L', count, 5))).toEqual({ lost: [], doubled: [] });
  expect(countLines(lines, numbered('SHELL-', EARLIER, 2))).toEqual({ lost: [], doubled: [] });
  const order = lines.join('\n').match(/L\d{5}/g) ?? [];
  expect(order).toEqual(order.toSorted());
  expect(lines.filter((line) => line === 'EDITOR')).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith('STATUS'))).toHaveLength(1);
  expect([terminal.count('\u001b[2J'), terminal.count('\u001b[3J'), terminal.count('\u001bc')]).toEqual([0, 0, 0]);
}

async function drag(terminal: PtyTerminal, steps: readonly (readonly [number, number])[]): Promise<void> {
  for (const [columns, rows] of steps) {
    terminal.resize(columns, rows);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

describe('TU-32: nothing is lost or doubled, nothing is cleared', () => {
  for (const widths of ['unicode11', 'graphemes'] as const) {
    test(`2,000 lines while 20 agents tick and you type (${widths})`, async () => {
      const terminal = start({ LINES_WANTED: '2000', RATE: '600' }, { widths });
      await terminal.untilShown('STATUS streaming');
      terminal.type('hello');
      await terminal.untilShown('> hello');
      terminal.type('\r');
      await terminal.untilShown('STATUS done 2000');
      await expectWhole(terminal, 2000);
      expect(terminal.lines().filter((line) => line === '> hello')).toHaveLength(1);
    });

    test(`a window dragged 70 steps narrower and wider, lower and higher, while lines stream (${widths})`, async () => {
      const terminal = start({ LINES_WANTED: '1000', RATE: '200' }, { widths });
      await terminal.untilShown('STATUS streaming');
      const narrower = Array.from({ length: 20 }, (_, step) => [98 - 2 * step, 30] as const);
      const wider = Array.from({ length: 24 }, (_, step) => [62 + 2 * step, 30] as const);
      const lower = Array.from({ length: 12 }, (_, step) => [110, 29 - step] as const);
      const higher = Array.from({ length: 16 }, (_, step) => [110, 19 + step] as const);
      for (const steps of [narrower, wider, lower, higher]) {
        await drag(terminal, steps);
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      await terminal.untilShown('STATUS done 1000');
      await expectWhole(terminal, 1000);
    });

    test(`one step to 40 columns, and one to 200 (${widths})`, async () => {
      const terminal = start({ LINES_WANTED: '600', RATE: '200' }, { widths });
      await terminal.untilShown(/STATUS \w+ [5-9]\d/);
      terminal.resize(40, 30);
      await terminal.untilShown(/STATUS \w+ [2-9]\d\d/);
      terminal.resize(200, 40);
      await terminal.untilShown(/STATUS \w+ [3-9]\d\d/);
      terminal.resize(70, 24);
      await terminal.untilShown('STATUS done 600');
      await expectWhole(terminal, 600);
    });
  }

  test('a page is open meanwhile, and the window changes under it', async () => {
    const terminal = start({ LINES_WANTED: '600', RATE: '200' });
    await terminal.untilShown('STATUS streaming');
    terminal.type('\u000f');
    await terminal.untilShown('PAGE row 29 of 30');
    terminal.resize(80, 26);
    await terminal.untilShown('PAGE row 25 of 26');
    expect(terminal.isPage).toBe(true);
    terminal.type('\u000f');
    await terminal.untilShown('STATUS done 600');
    await expectWhole(terminal, 600);
  });

  test('the terminal reads nothing for a while: the program continues, and everything arrives when it reads again', async () => {
    const mark = join(folder, 'done');
    const terminal = start({ LINES_WANTED: '3000', RATE: '3000', MARK: mark });
    await terminal.untilShown('STATUS streaming');
    terminal.pause();
    await until(() => existsSync(mark), 'all lines printed while nothing is read');
    terminal.go();
    await terminal.untilShown('STATUS done 3000');
    await expectWhole(terminal, 3000);
  });

  test('10,000 lines at once', async () => {
    const terminal = start({ PRINT_AT_ONCE: '10000' });
    await terminal.untilShown(/L10000[\s\S]*STATUS done/);
    await expectWhole(terminal, 10_000);
  });
});

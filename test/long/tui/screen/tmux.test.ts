/** The screen in a real tmux, which rewraps rows by its own rules. `scripts/install-tmux.sh` installs it. */

import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../../support/bundle.js';
import { countLines, numbered } from '../../../support/pty-terminal.js';
import { until } from '../../../support/until.js';

const run = promisify(execFile);
const EARLIER = 40;
const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) console.warn('tmux is missing, and the screen is not tested in it: run scripts/install-tmux.sh');
let folder: string;
let program: string;

beforeAll(async () => {
  if (!hasTmux) return;
  folder = await mkdtemp(join(tmpdir(), 'coppice-test-'));
  program = await bundle(new URL('../../../program/tui/screen/streaming-child.ts', import.meta.url), folder);
});
afterAll(async () => {
  if (hasTmux) await rm(folder, { recursive: true, force: true });
});

/** A server of its own, with the program in its only window. */
async function startTmux(env: Record<string, string>): Promise<(...args: string[]) => Promise<string>> {
  const socket = join(folder, 'socket');
  const tmux = async (...args: string[]) => (await run('tmux', ['-S', socket, '-f', '/dev/null', ...args])).stdout;
  const variables = Object.entries({ ...env, LC_ALL: 'C.UTF-8' }).map(([name, value]) => `${name}=${value}`);
  const line = `for i in $(seq -w 1 ${EARLIER}); do echo SHELL-$i; done; exec env ${variables.join(' ')} "${process.execPath}" "${program}"`;
  await tmux(
    '-u',
    'start-server',
    ';',
    'set',
    '-g',
    'history-limit',
    '20000',
    ';',
    'set',
    '-g',
    'window-size',
    'manual',
  );
  await tmux('-u', 'new-session', '-d', '-x', '100', '-y', '30', line);
  onTestFinished(async () => {
    await tmux('kill-server').catch(() => undefined);
  });
  return tmux;
}

test.runIf(hasTmux)(
  'TU-32: in tmux, dragged narrower and wider while lines stream, nothing is lost or doubled',
  async () => {
    const tmux = await startTmux({ LINES_WANTED: '800', RATE: '200' });
    const screen = () => tmux('capture-pane', '-p');
    await until(async () => (await screen()).includes('STATUS streaming'), 'the first lines');
    for (let columns = 96; columns >= 60; columns -= 4) await tmux('resize-window', '-x', String(columns));
    for (let columns = 64; columns <= 120; columns += 4) await tmux('resize-window', '-x', String(columns));
    await tmux('resize-window', '-x', '70', '-y', '24');
    await until(async () => (await screen()).includes('STATUS done 800'), 'the last line');
    const lines = (await tmux('capture-pane', '-p', '-J', '-S', '-')).split('\n');
    expect(countLines(lines, numbered('L', 800, 5))).toEqual({ lost: [], doubled: [] });
    expect(countLines(lines, numbered('SHELL-', EARLIER, 2))).toEqual({ lost: [], doubled: [] });
    expect(lines.filter((line) => line.startsWith('STATUS'))).toHaveLength(1);
  },
);

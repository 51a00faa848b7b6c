/** SF-2: what `doctor` says about the terminal: ok, or what to do. */

import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkTerminal } from '../../../../src/front/commands/doctor/check-terminal.js';
import type { Environment } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { scratchFolder } from '../../../support/scratch.js';

const WIDE = { isTTY: true, columns: 120, rows: 40, getColorDepth: () => 8 };
const GOOD = { TERM: 'xterm-256color', LANG: 'de_DE.UTF-8', PATH: '', SSH_TTY: '/dev/pts/1' };

async function check(env: Environment, output: Parameters<typeof checkTerminal>[1] = WIDE) {
  const host = nodeHost(await scratchFolder(), env);
  return checkTerminal({ ...host, platform: { ...host.platform, os: 'linux' } }, output);
}

it('SF-2: a terminal that can do all is ok, with its facts', async () => {
  expect(await check(GOOD)).toEqual({
    check: 'terminal',
    state: 'ok',
    found: 'TERM xterm-256color, 120×40, 256 colours, over ssh, clipboard: OSC 52',
  });
  expect(await check({ ...GOOD, NO_COLOR: '1' })).toMatchObject({
    found: expect.stringContaining('no colours (NO_COLOR)'),
  });
});

it.each([
  [{ TERM: 'dumb' }, /TERM does not name a terminal/],
  [{ TERM: '' }, /TERM does not name a terminal/],
  [{ LANG: 'C' }, /the locale C is not UTF-8: set LANG=C\.UTF-8/],
  [{ LANG: '' }, /no locale is set/],
  [{ LC_ALL: 'POSIX' }, /the locale POSIX is not UTF-8/],
  [{ SSH_TTY: '' }, /no clipboard tool found: install wl-clipboard, xclip or xsel/],
])('SF-2: what is missing is a note that reports what to do: %o', async (env, found) => {
  expect(await check({ ...GOOD, ...env })).toMatchObject({ state: 'note', found: expect.stringMatching(found) });
});

it('SF-2: a small window, and none', async () => {
  const small = await check(GOOD, { ...WIDE, columns: 30 });
  expect(small).toMatchObject({ state: 'note', found: expect.stringContaining('make it 40×10 or larger') });
  expect(await check(GOOD, { isTTY: false })).toMatchObject({ state: 'note', found: 'output is not a terminal' });
});

it('SF-2, TU-19: a copy tool is used where its desktop is; in tmux over ssh the option applies', async () => {
  const folder = await scratchFolder();
  const tool = async (name: string, script: string) => {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  };
  await tool('xclip', '');
  await tool('tmux', 'echo off');
  const local = { ...GOOD, SSH_TTY: '', PATH: folder };
  expect(await check({ ...local, DISPLAY: ':0' })).toMatchObject({
    state: 'ok',
    found: expect.stringContaining('clipboard: xclip'),
  });
  expect(await check(local)).toMatchObject({ state: 'note' });
  expect(await check({ ...GOOD, PATH: folder, TMUX: '/tmp/x' })).toMatchObject({
    state: 'note',
    found: expect.stringContaining(
      'in tmux, over ssh, clipboard: OSC 52; tmux does not forward copies: run tmux set -s set-clipboard on',
    ),
  });
});

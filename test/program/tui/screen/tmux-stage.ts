/** The common part of tmux.test.ts here and in test/long. */

import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { runningIn } from '../../../support/processes.js';
import { until } from '../../../support/until.js';
import { PROGRAM, type TerminalStage } from '../terminal-stage.js';

export const run = promisify(execFile);

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

if (!hasTmux) console.warn('tmux is missing, and the terminal is not tested in it: run scripts/install-tmux.sh');

export type Tmux = {
  (...args: string[]): Promise<string>;
  untilSeen(wanted: string | RegExp): Promise<void>;
  lines(): Promise<string[]>;
};

/** A server of its own, with a shell in its only window, which prints forty lines and starts the program. */
export async function startTmux(stage: TerminalStage, config: string): Promise<Tmux> {
  const socket = join(stage.home, 'tmux');
  await writeFile(join(stage.home, 'tmux.conf'), `set -g history-limit 20000\n${config}\n`);
  const env = { ...stage.env, LC_ALL: 'C.UTF-8', COPPICE_PROGRAM: PROGRAM } as NodeJS.ProcessEnv;
  const command = async (...args: string[]) =>
    (await run('tmux', ['-u', '-S', socket, '-f', join(stage.home, 'tmux.conf'), ...args], { env, cwd: stage.folder }))
      .stdout;
  await command('new-session', '-d', '-x', '100', '-y', '30', "PS1='SHELL$ ' exec bash --norc --noprofile -i");
  onTestFinished(async () => {
    await command('kill-server').catch(() => undefined);
    await until(() => runningIn(stage.home).length === 0, 'everything in tmux ended');
  });
  const screen = () => command('capture-pane', '-p');
  const untilSeen = async (wanted: string | RegExp) => {
    let seen = '';
    const look = async () => {
      seen = await screen();
      return typeof wanted === 'string' ? seen.includes(wanted) : wanted.test(seen);
    };
    await until(look, String(wanted), 20_000).catch((error: Error) => expect.fail(`${error.message}\n${seen}`));
  };
  const lines = async () =>
    (await command('capture-pane', '-p', '-J', '-S', '-')).split('\n').map((line) => line.trimEnd());
  const tmux = Object.assign(command, { untilSeen, lines });
  await tmux.untilSeen('SHELL$');
  const start = `for i in $(seq -w 1 40); do echo EARLIER-$i; done; "${process.execPath}" $COPPICE_PROGRAM --permission-mode acceptEdits`;
  await command('send-keys', '-l', start);
  await command('send-keys', 'Enter');
  await tmux.untilSeen('? keys');
  return tmux;
}

/** A whole session inside a real tmux, with its window made smaller and larger. `scripts/install-tmux.sh` installs it. */

import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { agentCall } from '../../../support/agent-call.js';
import { runningIn } from '../../../support/processes.js';
import { until } from '../../../support/until.js';
import { PROGRAM, setTerminalStage, type TerminalStage } from '../terminal-stage.js';
import { idsIn, longReply } from './long-reply.js';

const run = promisify(execFile);
const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) console.warn('tmux is missing, and the terminal is not tested in it: run scripts/install-tmux.sh');

type Tmux = {
  (...args: string[]): Promise<string>;
  untilSeen(wanted: string | RegExp): Promise<void>;
  lines(): Promise<string[]>;
};

/** A server of its own, with a shell in its only window, which has shown forty lines and starts the program. */
async function startTmux(stage: TerminalStage, config: string): Promise<Tmux> {
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

test.runIf(hasTmux)(
  'TU-1, TU-32: in tmux a session streams while its window is dragged: every line once, and the shell has it back after',
  async () => {
    const reply = longReply(200);
    const stage = await setTerminalStage([{ when: { user: 'go' }, reply, delay: { eventMs: 15 } }, { reply: 'FINE' }]);
    const tmux = await startTmux(stage, '');
    await tmux('send-keys', '-l', 'go');
    await tmux('send-keys', 'Enter');
    await tmux.untilSeen('M0010');
    for (let columns = 96; columns >= 60; columns -= 4) await tmux('resize-window', '-x', String(columns));
    for (let columns = 64; columns <= 120; columns += 4) await tmux('resize-window', '-x', String(columns));
    await tmux('resize-window', '-x', '80', '-y', '20');
    await tmux.untilSeen('THE END');
    expect(idsIn((await tmux.lines()).join('\n'))).toEqual(idsIn(reply));
    await tmux('send-keys', '-l', 'more');
    await tmux.untilSeen('> more');
    await tmux('send-keys', 'Enter');
    await tmux.untilSeen('FINE');
    await tmux.untilSeen(/^(?![\s\S]*esc interrupts)[\s\S]*^> *$/m);
    await tmux('send-keys', 'C-d');
    await tmux.untilSeen(/SHELL\$ *$/m);
    const lines = await tmux.lines();
    expect(lines.filter((line) => /^EARLIER-\d\d$/.test(line))).toHaveLength(40);
    expect(idsIn(lines.join('\n'))).toEqual(idsIn(reply));
    expect((await tmux('display-message', '-p', '#{alternate_on} #{cursor_flag} #{wrap_flag}')).trim()).toBe('0 1 1');
  },
);

for (const [config, prefix, hint] of [
  ['', 'C-b', 'ctrl+b ctrl+b background'],
  ['set -g prefix C-a', 'C-a', 'ctrl+b background'],
] as const) {
  test.runIf(hasTmux)(`TU-17: in tmux hints show its real prefix (${prefix}): ${hint}`, async () => {
    const stage = await setTerminalStage([
      { when: { said: 'CHILD' }, reply: 'never', delay: { firstMs: 600_000 } },
      { when: { user: 'start' }, reply: [agentCall('CHILD: wait', { description: 'waits' })] },
    ]);
    const tmux = await startTmux(stage, config);
    await tmux('send-keys', '-l', 'start');
    await tmux('send-keys', 'Enter');
    await tmux.untilSeen(/agents 1/);
    await tmux('send-keys', 'Escape');
    await tmux.untilSeen(`esc again stops 1 · ${hint}`);
  });
}

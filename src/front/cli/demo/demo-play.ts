/** `demo --play`: the same session in the real terminal. The program runs in its own processes, one of which is killed. */

import { aborted, realClock } from '../../../host/clock.js';
import type { ProcessExit } from '../../../host/processes.js';
import { runAtTerminal } from '../../../host/terminal/run-at-terminal.js';
import { RESTORE } from '../../tui/screen/controls.js';
import type { Scene } from './demo-keys.js';
import { describeKill } from './demo-parts.js';
import type { DemoScreen } from './demo-screen.js';
import type { DemoStage } from './demo-stage.js';

/** Lets the user see the process run before it is killed. */
const SEEN_MS = 2_000;

/** Resolves with the session's id, or undefined if you have left. */
export async function playAtTerminal(stage: DemoStage, screen: DemoScreen): Promise<string | undefined> {
  const { mainRests, noteWaits } = stage.cues;
  screen.line(
    'The prompts are typed automatically. When a fork asks, answer it (1: yes, once), or just watch. Ctrl+C leaves.\n',
  );
  let killed = 0;
  let session: string | undefined;
  const first = await runScene(stage, 'first', {
    onMessage: (message) => {
      session = String(message);
      mainRests.give();
    },
    onStart: async (end, pid = 0) => {
      await noteWaits.given;
      await realClock.sleep(SEEN_MS);
      killed = pid;
      end('SIGKILL');
    },
  });
  if (first.signal !== 'SIGKILL') return undefined;
  // The killed process could not restore the terminal.
  process.stdout.write(`${RESTORE}\u001b[<u\r\n`);
  screen.line(describeKill(killed, screen));
  screen.prompt('coppice --continue', 'a new process; the fork continues where it was');
  const second = await runScene(stage, 'second', {});
  return second.code === 0 ? session : undefined;
}

type SceneOptions = Pick<Parameters<typeof runAtTerminal>[0], 'onStart' | 'onMessage'>;

async function runScene({ leave, program }: DemoStage, scene: Scene, options: SceneOptions): Promise<ProcessExit> {
  // The current mode of the terminal is restored afterwards, also after a kill.
  process.stdin.setRawMode(true);
  try {
    const exit = await runAtTerminal({
      ...program('demo', '--scene', scene),
      onMessage: options.onMessage ?? (() => {}),
      onStart: (end, pid) => {
        void aborted(leave).then(() => end('SIGTERM'));
        options.onStart?.(end, pid);
      },
    });
    if (exit.error !== undefined) throw exit.error;
    return exit;
  } finally {
    process.stdin.setRawMode(false);
    process.stdin.pause();
  }
}

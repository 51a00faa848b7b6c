/** `coppice demo`: a real session in a temporary repository, against the simulated model. No key, no network. */

import { newAbort } from '../../../host/clock.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import { EXIT, exitOf } from '../exit-code.js';
import { exitOnLostOutput, leaveOnLostOutput } from '../lost-output.js';
import { onSignals } from '../on-signals.js';
import { playScene, type Scene } from './demo-keys.js';
import { killAndResume, runForks } from './demo-parts.js';
import { playAtTerminal } from './demo-play.js';
import { DemoScreen } from './demo-screen.js';
import { type DemoStage, setDemoStage } from './demo-stage.js';
import { showSummary } from './demo-summary.js';

export type DemoFlags = { readonly keep?: boolean; readonly play?: boolean; readonly scene?: Scene };

export async function runDemo({ keep = false, play = false, scene }: DemoFlags): Promise<number> {
  const isAtTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.TERM !== 'dumb';
  if ((play || scene !== undefined) && !isAtTerminal) {
    process.stderr.write('error: --play needs a terminal for its input and output. Without one: coppice demo\n');
    return EXIT.usage;
  }
  if (scene !== undefined) return playScene(scene);
  const left = watchLeave();
  const screen = new DemoScreen(isAtTerminal && !play);
  try {
    const stage = await setDemoStage(keep, left.signal);
    try {
      const isDone = await run(stage, screen, play);
      return left.exitCode() ?? (isDone ? EXIT.done : EXIT.interrupted);
    } finally {
      screen.settle();
      await stage.clear();
    }
  } catch (error) {
    screen.settle();
    if (left.exitCode() === undefined) process.stderr.write(`error: the demo failed: ${reasonOf(error)}\n`);
    return left.exitCode() ?? EXIT.error;
  }
}

/** False if the user left. */
async function run(stage: DemoStage, screen: DemoScreen, isPlayed: boolean): Promise<boolean> {
  try {
    screen.line(
      screen.paint.bold(
        'Coppice: one root, many shoots. A real session; only the model is simulated (no key, no network).',
      ),
    );
    const session = isPlayed ? await playAtTerminal(stage, screen) : await runForks(stage, screen);
    if (session === undefined) return false;
    if (!isPlayed) await killAndResume(stage, screen);
    screen.settle();
    await showSummary(stage, session, screen);
    return true;
  } finally {
    for (const line of stage.sim.unmatched) process.stderr.write(`${line}\n`);
  }
}

/** Watches for an early end: a signal, or lost output. The second signal ends the process at once. */
function watchLeave(): { readonly signal: AbortSignal; exitCode(): number | undefined } {
  const leave = newAbort();
  let exitOfLoss: number | undefined;
  const { received } = onSignals(() => leave.abort());
  process.stdout.off('error', leaveOnLostOutput);
  process.stdout.on('error', (error) => {
    if (!leave.signal.aborted) exitOfLoss = exitOnLostOutput(error);
    leave.abort();
  });
  const exitCode = () => {
    const signal = received();
    return exitOfLoss ?? (signal && exitOf(signal));
  };
  return { signal: leave.signal, exitCode };
}

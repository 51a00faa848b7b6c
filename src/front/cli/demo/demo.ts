/** `coppice demo`: a real session in a throw-away repository, against the simulated model. No key, no network. */

import { reasonOf } from '../../../protocol/reason-of.js';
import { choosePaint, wantsColours } from '../../view/paint.js';
import { EXIT } from '../exit-code.js';
import { runForks } from './demo-forks.js';
import { killAndResume } from './demo-kill.js';
import { watchLeave } from './demo-leave.js';
import { playAtTerminal } from './demo-play.js';
import { DemoProgress } from './demo-progress.js';
import { demoRules } from './demo-scenario.js';
import { playScene, type Scene } from './demo-scene.js';
import { DemoScreen } from './demo-screen.js';
import { type DemoStage, setDemoStage } from './demo-stage.js';
import { showSummary } from './demo-summary.js';

export type DemoFlags = { readonly keep?: boolean; readonly play?: boolean; readonly scene?: Scene };

export async function runDemo(flags: DemoFlags): Promise<number> {
  const isAtTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.TERM !== 'dumb';
  if ((flags.play || flags.scene !== undefined) && !isAtTerminal) {
    process.stderr.write('error: --play needs a terminal for its input and output. Without one: coppice demo\n');
    return EXIT.usage;
  }
  if (flags.scene !== undefined) return playScene(flags.scene);
  const leave = watchLeave();
  const progress = isAtTerminal && !flags.play ? new DemoProgress() : undefined;
  const screen = new DemoScreen(choosePaint(wantsColours(process.stdout, process.env)), progress);
  try {
    const stage = await setDemoStage(flags.keep === true, leave.signal);
    let isDone = false;
    try {
      isDone = await run(stage, screen, flags.play === true);
    } finally {
      screen.settle();
      await stage.clear();
    }
    return leave.exitCode() ?? (isDone ? EXIT.done : EXIT.interrupted);
  } catch (error) {
    screen.settle();
    const left = leave.exitCode();
    if (left !== undefined) return left;
    process.stderr.write(`error: the demo failed: ${reasonOf(error)}\n`);
    return EXIT.error;
  }
}

/** False: the person has left. */
async function run(stage: DemoStage, screen: DemoScreen, isPlayed: boolean): Promise<boolean> {
  const { rules, cues } = demoRules(stage.repo);
  stage.sim.use({ name: 'demo', rules });
  try {
    screen.title('Coppice: one root, many shoots. A real session; only the model is simulated (no key, no network).');
    const session = isPlayed ? await playAtTerminal(stage, cues, screen) : await runForks(stage, cues, screen);
    if (session === undefined) return false;
    if (!isPlayed) await killAndResume(stage, cues, screen);
    screen.settle();
    await showSummary(stage, session, screen);
    return true;
  } finally {
    for (const line of stage.sim.unmatched) process.stderr.write(`${line}\n`);
  }
}

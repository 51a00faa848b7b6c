/** `coppice demo`: a real session in a throw-away repository, against the simulated model. No key, no network. */

import { reasonOf } from '../../../protocol/reason-of.js';
import { choosePaint, wantsColours } from '../../view/paint.js';
import { EXIT } from '../exit-code.js';
import { runForks } from './demo-forks.js';
import { killAndResume } from './demo-kill.js';
import { watchLeave } from './demo-leave.js';
import { demoRules } from './demo-scenario.js';
import { DemoScreen } from './demo-screen.js';
import { type DemoStage, setDemoStage } from './demo-stage.js';
import { showSummary } from './demo-summary.js';

export type DemoFlags = { readonly keep?: boolean };

export async function runDemo(flags: DemoFlags): Promise<number> {
  const screen = new DemoScreen(choosePaint(wantsColours(process.stdout, process.env)));
  const leave = watchLeave();
  try {
    const stage = await setDemoStage(flags.keep === true, leave.signal);
    try {
      await play(stage, screen);
    } finally {
      await stage.clear();
    }
    return leave.exitCode() ?? EXIT.done;
  } catch (error) {
    const left = leave.exitCode();
    if (left !== undefined) return left;
    process.stderr.write(`error: the demo failed: ${reasonOf(error)}\n`);
    return EXIT.error;
  }
}

async function play(stage: DemoStage, screen: DemoScreen): Promise<void> {
  const { rules, cues } = demoRules(stage.repo);
  stage.sim.use({ name: 'demo', rules });
  try {
    screen.title('Coppice: one root, many shoots. A real session; only the model is simulated (no key, no network).');
    const session = await runForks(stage, cues, screen);
    await killAndResume(stage, cues, screen);
    await showSummary(stage, session, screen);
  } finally {
    for (const line of stage.sim.unmatched) process.stderr.write(`${line}\n`);
  }
}

/** `coppice demo`: a real session in a throw-away repository, against the simulated model. No key, no network. */

import { reasonOf } from '../../../protocol/reason-of.js';
import { choosePaint, wantsColours } from '../../view/paint.js';
import { EXIT } from '../exit-code.js';
import { runForks } from './demo-forks.js';
import { killAndResume } from './demo-kill.js';
import { demoRules } from './demo-scenario.js';
import { DemoScreen } from './demo-screen.js';
import { setDemoStage } from './demo-stage.js';
import { showSummary } from './demo-summary.js';

export type DemoFlags = { readonly keep?: boolean };

export async function runDemo(flags: DemoFlags): Promise<number> {
  const screen = new DemoScreen(choosePaint(wantsColours(process.stdout, process.env)));
  const stage = await setDemoStage(flags.keep === true);
  const { rules, cues } = demoRules(stage.repo);
  stage.sim.use({ name: 'demo', rules });
  try {
    screen.title('Coppice: one root, many shoots. A real session; only the model is simulated (no key, no network).');
    const session = await runForks(stage, cues, screen);
    await killAndResume(stage, cues, screen);
    await showSummary(stage, session, screen);
    return EXIT.done;
  } catch (error) {
    process.stderr.write(`error: the demo failed: ${reasonOf(error)}\n`);
    for (const line of stage.sim.unmatched) process.stderr.write(`${line}\n`);
    return EXIT.error;
  } finally {
    await stage.clear();
  }
}

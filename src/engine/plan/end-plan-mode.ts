/** Ends plan mode after you accepted a plan. */

import { applySwitches } from '../../loop/epoch.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import type { Engine } from '../engine.js';
import type { EndPlanMode } from './plan-mode.js';

/** Takes effect at once, so that the next call is judged by it; another model at the next safe point. */
export async function endPlanMode(engine: Engine, mode: Parameters<EndPlanMode>[0]): ReturnType<EndPlanMode> {
  const main = engine.runtime.agents.get(MAIN_AGENT);
  if (main?.mode !== 'plan') return 'plan mode has already ended';
  const refusal = await engine.choose({ mode });
  if (refusal === undefined) await applySwitches(main, 'mode');
  return refusal;
}

/** Ends the work under way, or the turn of one child. Who was interrupted can be resumed: nobody stopped it. */

import type { CommandOf } from '../../protocol/commands.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import type { Engine } from '../engine.js';
import type { Done } from './command-results.js';

export async function interrupt({ driver, runtime }: Engine, { agent: id }: CommandOf<'interrupt'>): Promise<Done> {
  if (id === undefined || id === MAIN_AGENT) {
    driver.interrupt();
    return { ok: true };
  }
  const agent = runtime.agents.get(id);
  if (agent === undefined || !agent.isActive) return { ok: false, reason: `there is no agent ${id} at work` };
  // One that waits for its turn has none to end.
  if (agent.status === 'queued' && !agent.isTakenOver) agent.abort.abort();
  else agent.turn.abort();
  return { ok: true };
}

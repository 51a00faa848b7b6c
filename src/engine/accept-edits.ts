/** "All edits in this session", said in answer to an agent's question. */

import { applySwitches } from '../loop/epoch.js';
import { MAIN_AGENT } from '../protocol/events.js';
import type { Engine } from './engine.js';

/**
 * The session goes on in acceptEdits, and so does the agent that asked. At once, or its next edit would be asked about.
 * A mode other than `default` was somebody's choice, and stays.
 */
export async function acceptEdits(engine: Engine, agentId: string): Promise<void> {
  const { agents } = engine.runtime;
  if (engine.mode === 'default') {
    await engine.choose({ mode: 'acceptEdits' });
    const main = agents.get(MAIN_AGENT);
    if (main !== undefined) await applySwitches(main, 'mode');
  }
  let agent = agents.get(agentId);
  // A fork is in its parent's mode.
  while (agent?.isFork && agent.parent !== undefined) agent = agent.parent;
  if (agent?.mode === 'default') await agent.emit({ kind: 'mode-changed', mode: 'acceptEdits' });
}

/** Stops everything in the background, on the second press. */

import { type Conversation, isChildAtWork } from '../app/conversation.js';
import { TWICE_MS } from './interrupt-keys.js';

export function stopBackground({ ui, session, view, pending }: Conversation): void {
  const agents = [...view.agents.values()].filter((agent) => agent.background && isChildAtWork(agent));
  if (agents.length === 0) return void ui.hint('no agent is in the background');
  const now = ui.now();
  const key = ui.keymap.keyOf('chat:killAgents');
  if (now - pending.stopAskedAt > TWICE_MS) {
    pending.stopAskedAt = now;
    return void ui.hint(`${key} again stops ${agents.length} in the background`, TWICE_MS);
  }
  pending.stopAskedAt = Number.NEGATIVE_INFINITY;
  // Those below end with the one above them.
  const ids = new Set(agents.map(({ id }) => id));
  for (const { id, parent } of agents) {
    if (parent === undefined || !ids.has(parent)) void session.execute({ type: 'stop-task', task: id });
  }
  ui.hint(`${agents.length} stopped`);
}

/** Moves children and commands that the main agent waits for to the background. */

import type { LiveAgent } from '../../agents/live-agent.js';
import type { Runtime } from '../../agents/runtime.js';
import type { CommandOf } from '../../protocol/commands.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { runningChildren } from '../wait-until-idle.js';

/** Returns how many were moved. */
export function toBackground(runtime: Runtime, { agent: id, call }: Omit<CommandOf<'to-background'>, 'type'>): number {
  const running = runtime.settings.backgroundAvailable ? runningChildren(runtime) : [];
  const isSelected = (agent: LiveAgent) =>
    (id === undefined || agent.id === id) && (call === undefined || (agent.waitedBy ?? agent.record.call) === call);
  const children = running.filter((agent) => isSelected(agent) && agent.detach()).length;
  // A child's own command ends with it, so it stays.
  const commands = id === undefined ? (runtime.agents.get(MAIN_AGENT)?.activity.moveToBackground(call) ?? 0) : 0;
  return children + commands;
}

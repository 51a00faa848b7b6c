/** Lets children, and commands of the main agent, that are waited for go on in the background. */

import type { LiveAgent } from '../../agents/live-agent.js';
import type { Runtime } from '../../agents/runtime.js';
import type { CommandOf } from '../../protocol/commands.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { runningChildren } from '../wait-until-idle.js';

/** Returns how many. */
export function toBackground(runtime: Runtime, { agent: id, call }: Omit<CommandOf<'to-background'>, 'type'>): number {
  const atWork = runtime.settings.backgroundAvailable ? runningChildren(runtime) : [];
  const isMeant = (agent: LiveAgent) =>
    (id === undefined || agent.id === id) && (call === undefined || (agent.waitedBy ?? agent.record.call) === call);
  const children = atWork.filter((agent) => isMeant(agent) && agent.detach()).length;
  // A child's own command ends with it: it stays where it is.
  const commands = id === undefined ? (runtime.agents.get(MAIN_AGENT)?.activity.moveToBackground(call) ?? 0) : 0;
  return children + commands;
}

/** What a message to an agent does: waking it is a start, and tools that its sender lacks are gained (GT-34). */

import type { Action } from '../../protocol/action.js';
import { refuseType } from '../catalog/spawn-refusals.js';
import type { LiveAgent } from '../live-agent.js';
import { whyNotContinued } from '../resume/continue-agent.js';
import type { Runtime } from '../runtime.js';
import { toolsReached } from '../start/tools-gained.js';
import type { FoundAgent } from './find-task.js';

type Spawn = Extract<Action, { kind: 'spawn' }>;

/** Touches nothing but the session's state: also where the message is refused anyway. */
const NOTHING: Action = { kind: 'session' };

export function declareMessage(runtime: Runtime, sender: LiveAgent, found: FoundAgent): Action {
  const record = found.kind === 'live' ? found.agent.record : found.ended.spawned;
  const { agent: writesTo, type } = record;
  if (writesTo === sender.id) return NOTHING;
  const isAtWork = found.kind === 'live' && (found.agent.isMain || goesOn(found.agent));
  if (!isAtWork && refuseWaking(runtime, sender, found) !== undefined) return NOTHING;
  // Who is above it hears of it anyway, by its result.
  const reports = found.kind === 'live' && isAtWork && sender.isBelow(found.agent);
  const agreed = reports || runtime.agreedPairs.has(pair(sender, writesTo));
  const gains = agreed ? [] : toolsReached(runtime, sender, record);
  if (isAtWork && gains.length === 0) return NOTHING;
  return { kind: 'spawn', type, writesTo, ...(gains.length === 0 ? {} : { gains }) } satisfies Spawn;
}

function goesOn({ isActive, abort }: LiveAgent): boolean {
  return isActive && !abort.signal.aborted;
}

/** For the model: why this agent can't wake one that has ended. */
export function refuseWaking(runtime: Runtime, sender: LiveAgent, found: FoundAgent): string | undefined {
  if (sender.isFork) return 'A fork cannot start agents, and that one has ended: writing to it would start it again.';
  const ended = found.kind === 'ended' ? found.ended : undefined;
  const refused = ended === undefined ? undefined : whyNotContinued(runtime, ended, 'model');
  if (refused !== undefined) return refused;
  const { type, parent } = found.kind === 'live' ? found.agent.record : found.ended.spawned;
  return parent === sender.id ? undefined : refuseType(runtime, sender, type);
}

/** True if the gate judged all of this: meanwhile the agent may have ended, or its name may mean another one. */
export function isDeclared(declared: readonly Action[], now: Action): boolean {
  if (now.kind !== 'spawn') return true;
  return declared.some((action) => {
    if (action.kind !== 'spawn' || action.writesTo !== now.writesTo) return false;
    return (now.gains ?? []).every((tool) => action.gains?.includes(tool));
  });
}

/** The gate let the message pass: the same pair is not asked about again in this session. */
export function agreeOn(runtime: Runtime, sender: LiveAgent, action: Action): void {
  if (action.kind === 'spawn' && action.gains !== undefined && action.writesTo !== undefined)
    runtime.agreedPairs.add(pair(sender, action.writesTo));
}

function pair(sender: LiveAgent, receiver: string): string {
  return `${sender.id} ${receiver}`;
}

/** Starts another run of an agent that has ended: same id, same history, in the background. */

import { isHookAgent } from '../../protocol/agent-spawned.js';
import type { TextBlock } from '../../protocol/blocks.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import type { Input } from '../../session/inbox.js';
import { type EndedAgent, type Revived, wasStoppedByUser } from '../ended-agent.js';
import { refreshAgent } from '../feature.js';
import type { LiveAgent } from '../live-agent.js';
import { runChild } from '../run/run-child.js';
import type { Runtime } from '../runtime.js';
import { claimResume } from './claim-resume.js';
import { leaveEnded, restoreAgent } from './restore-agent.js';
import { reportUnheardChildren } from './restore-notices.js';

/** The message to an interrupted agent, unless the user writes another. */
export const RESUME_TEXT = 'You were interrupted and go on now. Finish your task from where you stopped.';

/** `isFirst`: this call started the run. */
type Continued = Result<{ readonly agent: LiveAgent; readonly isFirst: boolean }>;

/** Continues it in the background. `input`: the sender, and the key under which the message is admitted once. */
export async function continueAgent(
  runtime: Runtime,
  ended: EndedAgent,
  content: TextBlock,
  input: Input,
): Promise<ToolOutcome> {
  const continued = await beginRun(runtime, ended, content, input);
  if (!continued.ok) return failed(continued.reason);
  return succeeded(`${ended.agent} had ended and goes on in the background; a notice comes when it ends again.`);
}

/** `waits`: the call that waits for the run, and the signal that aborts it. */
export async function beginRun(
  runtime: Runtime,
  ended: EndedAgent,
  content: TextBlock,
  input: Input,
  waits?: { readonly call: string; readonly signal: AbortSignal },
): Promise<Continued> {
  const refusal = whyNotContinued(runtime, ended, input.origin === 'person' ? 'person' : 'model');
  if (refusal !== undefined) return { ok: false, reason: refusal };
  const isFirst = ended.reviving === undefined;
  const reviving = ended.reviving ?? claimResume(runtime, ended.agent, () => revive(runtime, ended, waits?.call));
  if (reviving === undefined) return writeToReturning(runtime, ended, content, input);
  ended.reviving = reviving;
  const revived = await reviving;
  if (!revived.ok) return { ok: false, reason: `It cannot go on: ${revived.reason}.` };
  const { agent } = revived;
  let taken: boolean;
  try {
    taken = await agent.inbox.admit(input, [content]);
  } catch (error) {
    if (isFirst) {
      await leaveEnded(runtime, ended, agent);
      ended.reviving = undefined;
    }
    return { ok: false, reason: `It was not written to: ${reasonOf(error)}.` };
  }
  if (isFirst) {
    if (waits !== undefined) agent.follow(waits.signal);
    agent.done = runChild(runtime, agent);
  }
  return taken ? { ok: true, agent, isFirst } : { ok: false, reason: endedAgain(ended) };
}

/** For an agent that the automatic resume is restoring: it reads the message between its turns. */
async function writeToReturning(
  runtime: Runtime,
  ended: EndedAgent,
  content: TextBlock,
  input: Input,
): Promise<Continued> {
  await runtime.returning.get(ended.agent);
  const agent = runtime.agents.get(ended.agent);
  if (agent === undefined) return { ok: false, reason: `${ended.agent} could not be resumed; send it once more.` };
  try {
    const taken = await agent.inbox.admit(input, [content]);
    return taken ? { ok: true, agent, isFirst: false } : { ok: false, reason: endedAgain(ended) };
  } catch (error) {
    return { ok: false, reason: `It was not written to: ${reasonOf(error)}.` };
  }
}

function endedAgain({ agent }: EndedAgent): string {
  return `${agent} has just ended again and did not read it; send it once more.`;
}

/** Revives an ended agent once even for two senders: a transcript has a single writer. */
async function revive(runtime: Runtime, ended: EndedAgent, waitedBy: string | undefined): Promise<Revived> {
  const parent = runtime.agents.get(ended.spawned.parent) ?? runtime.agents.get(MAIN_AGENT);
  const revived: Revived =
    parent === undefined
      ? { ok: false, reason: `agent ${ended.agent} has nobody to report to` }
      : await restoreAgent(runtime, ended, parent).catch((error) => ({ ok: false, reason: reasonOf(error) }));
  const prepared = revived.ok ? await prepare(runtime, ended, revived, waitedBy) : revived;
  if (!prepared.ok) ended.reviving = undefined;
  return prepared;
}

/** Gives its next run the required input. If that can't be saved, it stays ended. */
async function prepare(
  runtime: Runtime,
  ended: EndedAgent,
  revived: Extract<Revived, { ok: true }>,
  waitedBy: string | undefined,
): Promise<Revived> {
  const { agent, notes } = revived;
  try {
    for (const line of notes) await agent.emit({ kind: 'line-shown', level: 'warning', line });
    agent.beginNextRun(runtime.host.clock.elapsed(), waitedBy);
    await refreshAgent(runtime.features, agent);
    await reportUnheardChildren(runtime, agent, [...runtime.ended.values()], () => false);
    return revived;
  } catch (error) {
    await leaveEnded(runtime, ended, agent);
    return { ok: false, reason: reasonOf(error) };
  }
}

/** For the sender: why it can't go on. */
export function whyNotContinued(runtime: Runtime, ended: EndedAgent, by: 'model' | 'person'): string | undefined {
  const { agent, spawned, status } = ended;
  if (runtime.isClosing) return 'The session is being left.';
  if (by === 'model' && wasStoppedByUser(ended)) {
    return `${agent} was stopped by the person and stays stopped. Ask the person, or start a new agent.`;
  }
  if (isHookAgent(spawned) || spawned.aside || (spawned.oneShot && status === 'completed')) {
    return `${agent} (${spawned.type}) is done for good: agents of its kind can't be continued. Start a new one.`;
  }
  // A newer rule does not prevent the user from finishing work that began before it.
  const finishes = by === 'person' && ended.unfinished;
  if (!finishes && runtime.ports.gate.isAgentDenied(spawned.type)) {
    return `Agents of type ${spawned.type} are denied by a rule.`;
  }
  return undefined;
}

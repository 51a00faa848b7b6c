/** Another run of an agent that has ended: same id, same history, in the background. */

import type { TextBlock } from '../../protocol/blocks.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Input } from '../../session/inbox.js';
import { type EndedAgent, type Revived, wasStoppedByPerson } from '../ended-agent.js';
import type { LiveAgent } from '../live-agent.js';
import { runChild } from '../run/run-child.js';
import type { Runtime } from '../runtime.js';
import { restoreAgent } from './restore-agent.js';

/** What an agent that was cut off is told, unless the person says something else. */
export const RESUME_WORDS = 'You were interrupted and go on now. Finish your task from where you stopped.';

/** `input`: who wrote the words, and the key under which they are admitted once. */
export async function continueAgent(
  runtime: Runtime,
  ended: EndedAgent,
  words: TextBlock,
  input: Input,
): Promise<ToolOutcome> {
  const refusal = whyNot(runtime, ended, input.origin === 'person' ? 'person' : 'model');
  if (refusal !== undefined) return failed(refusal);
  const isFirst = ended.reviving === undefined;
  ended.reviving ??= revive(runtime, ended);
  const revived = await ended.reviving;
  if (!revived.ok) return failed(`It cannot go on: ${revived.reason}.`);
  const { agent } = revived;
  let taken: boolean;
  try {
    taken = await agent.inbox.admit(input, [words]);
  } catch (error) {
    if (isFirst) await putBack(runtime, ended, agent);
    return failed(`It was not written to: ${reasonOf(error)}.`);
  }
  if (isFirst) agent.done = runChild(runtime, agent);
  if (!taken) return failed(`${ended.agent} has just ended again and did not read it; send it once more.`);
  return succeeded(`${ended.agent} had ended and goes on in the background; a notice comes when it ends again.`);
}

/** Two senders revive an ended agent once: a transcript has one writer. */
async function revive(runtime: Runtime, ended: EndedAgent): Promise<Revived> {
  const parent = runtime.agents.get(ended.spawned.parent) ?? runtime.agents.get(MAIN_AGENT);
  const revived: Revived =
    parent === undefined
      ? { ok: false, reason: `agent ${ended.agent} has nobody to report to` }
      : await restoreAgent(runtime, ended, parent).catch((error) => ({ ok: false, reason: reasonOf(error) }));
  if (!revived.ok) {
    ended.reviving = undefined;
    return revived;
  }
  const { agent } = revived;
  for (const line of revived.told) await agent.emit({ kind: 'line-shown', level: 'warning', line });
  agent.beginNextRun(runtime.host.clock.elapsed());
  return revived;
}

/** The message could not be saved: the agent stays ended. */
async function putBack(runtime: Runtime, ended: EndedAgent, agent: LiveAgent): Promise<void> {
  ended.reviving = undefined;
  agent.fail();
  runtime.agents.delete(ended.agent);
  runtime.ended.set(ended.agent, ended);
  await agent.output.close();
  await agent.log.release().catch(() => {});
}

function whyNot(runtime: Runtime, ended: EndedAgent, by: 'model' | 'person'): string | undefined {
  const { agent, spawned, status } = ended;
  if (runtime.isClosing) return 'The session is being left.';
  if (by === 'model' && wasStoppedByPerson(ended)) {
    return `${agent} was stopped by the person and stays stopped. Ask the person, or start a new agent.`;
  }
  if (spawned.oneShot && status === 'completed') {
    return `${agent} (${spawned.type}) is done for good: agents of its kind can't be continued. Start a new one.`;
  }
  // A newer rule does not keep the person from finishing work that began before it.
  const finishes = by === 'person' && ended.unfinished;
  if (!finishes && runtime.ports.gate.isAgentDenied(spawned.type)) {
    return `Agents of type ${spawned.type} are denied by a rule.`;
  }
  return undefined;
}

/** Another run of an agent that has ended: same id, same history, in the background. */

import { newAbort } from '../../host/new-abort.js';
import type { TextBlock } from '../../protocol/blocks.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { AgentLog } from '../../session/state/agent-log.js';
import type { Member } from '../live-agent.js';
import { runChild } from '../run/run-child.js';
import type { Runtime } from '../runtime.js';
import { reviveAgent, wasStoppedByPerson } from './ended-agents.js';
import type { RestoredMember } from './restore-agent.js';

export async function continueAgent(
  runtime: Runtime,
  log: AgentLog,
  words: TextBlock,
  by: 'model' | 'person' = 'model',
): Promise<ToolOutcome> {
  const refusal = whyNot(runtime, log, by);
  if (refusal !== undefined) return failed(refusal);
  const underWay = reviving.get(log);
  const woken = await (underWay ?? begin(runtime, log));
  if (!woken.ok) return failed(`It cannot go on: ${woken.reason}.`);
  const { member } = woken;
  let taken: boolean;
  try {
    taken = await member.agent.inbox.admit(by === 'person' ? by : 'message', [words]);
  } catch (error) {
    if (underWay === undefined) await putBack(runtime, log, member);
    return failed(`It was not written to: ${reasonOf(error)}.`);
  }
  if (underWay === undefined) member.done = runChild(runtime, member);
  if (!taken) return failed(`${log.agent} has just ended again and did not read it; send it once more.`);
  return succeeded(`${log.agent} had ended and goes on in the background; a notice comes when it ends again.`);
}

/** Two that write to one agent that rests wake it once: there is one writer of a transcript. */
const reviving = new WeakMap<AgentLog, Promise<RestoredMember>>();

function begin(runtime: Runtime, log: AgentLog): Promise<RestoredMember> {
  const woken = reviveAgent(runtime, log).then((restored) => {
    if (restored.ok) beginRun(runtime, restored.member);
    else reviving.delete(log);
    return restored;
  });
  reviving.set(log, woken);
  return woken;
}

/** What was to wake it could not be saved: it rests as before. */
async function putBack(runtime: Runtime, log: AgentLog, member: Member): Promise<void> {
  reviving.delete(log);
  member.state = log.state;
  runtime.members.delete(log.agent);
  runtime.ended.set(log.agent, log);
  await member.output.close();
  await member.transcript.release().catch(() => {});
}

function whyNot(runtime: Runtime, log: AgentLog, by: 'model' | 'person'): string | undefined {
  const { agent, spawned, state } = log;
  if (runtime.isClosing) return 'The session is being left.';
  if (by === 'model' && wasStoppedByPerson(log)) {
    return `${agent} was stopped by the person and stays stopped. Ask the person, or start a new agent.`;
  }
  if (spawned.oneShot && state === 'completed') {
    return `${agent} (${spawned.type}) is done for good: agents of its kind can't be continued. Start a new one.`;
  }
  // A rule made since does not keep the person from finishing what was begun under the old ones.
  const finishes = by === 'person' && log.unfinished;
  if (!finishes && runtime.settings.isTypeDenied(spawned.type))
    return `Agents of type ${spawned.type} are denied by a rule.`;
  return undefined;
}

/** The run before stays ended; this one is numbered after it. */
export function beginRun(runtime: Runtime, member: Member): void {
  member.abort = newAbort();
  member.background = true;
  member.onDetach = undefined;
  member.startedAt = runtime.host.clock.elapsed();
  member.state = 'queued';
  member.run += 1;
  member.stoppedBy = undefined;
  member.result = undefined;
  member.agent.inbox.open();
  member.output.openFile();
}

/** Another run of an agent that has ended: same id, same history, in the background. */

import { newAbort } from '../host/new-abort.js';
import type { TextBlock } from '../protocol/blocks.js';
import { failed, succeeded, type ToolOutcome } from '../protocol/outcome.js';
import type { Crew } from './crew.js';
import type { Member } from './member.js';
import { runChild } from './run-child.js';

export async function continueAgent(crew: Crew, member: Member, words: TextBlock): Promise<ToolOutcome> {
  const refusal = whyNot(crew, member);
  if (refusal !== undefined) return failed(refusal);
  beginRun(crew, member);
  await member.agent.inbox.admit('message', [words]);
  member.done = runChild(crew, member);
  return succeeded(`${member.agent.id} had ended and goes on in the background; a notice comes when it ends again.`);
}

function whyNot(crew: Crew, member: Member): string | undefined {
  const { id, type } = member.agent;
  if (member.state === 'stopped' && member.stoppedBy === 'person') {
    return `${id} was stopped by the person and stays stopped. Ask the person, or start a new agent.`;
  }
  if (member.oneShot && member.state === 'completed') {
    return `${id} (${type}) is done for good: agents of its kind can't be continued. Start a new one.`;
  }
  if (crew.rules.isTypeDenied(type)) return `Agents of type ${type} are denied by a rule.`;
  return undefined;
}

/** The run before stays ended; this one is numbered after it. */
export function beginRun(crew: Crew, member: Member): void {
  member.abort = newAbort();
  member.background = true;
  member.onDetach = undefined;
  member.startedAt = crew.host.clock.elapsed();
  member.state = 'queued';
  member.run += 1;
  member.stoppedBy = undefined;
  member.result = undefined;
  member.agent.inbox.open();
  member.output.openFile();
}

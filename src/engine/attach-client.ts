/** Clients of a session: each sees its events, and may answer its questions. */

import type { Runtime } from '../agents/runtime.js';
import type { AgentEvent, Listener, SessionEvent } from '../protocol/events.js';
import type { PermissionQuestion } from '../protocol/permission.js';

/** What attaches to a session. */
export type Client = {
  /** Sees everything that happens from now on. */
  readonly onEvent: Listener;
  /** It can answer questions, or only what servers ask: with the `answer` command, the first counts. */
  readonly canAnswer?: boolean | 'elicitation';
  /** Only these kinds of events; omitted: all. */
  readonly kinds?: readonly AgentEvent['kind'][];
  /** A promise while it can't take more, because its reader is slow: agents begin no turn until it resolves. */
  readonly behind?: () => Promise<void> | undefined;
};

export function attachClient(
  { ports: { gate }, listeners }: Runtime,
  { onEvent, canAnswer = false, kinds, behind }: Client,
): () => void {
  const leave = canAnswer ? gate.addAnswerer(canAnswer === true ? 'all' : canAnswer) : () => {};
  // One that comes while a question waits may answer it like the others.
  const unlisten = listeners.add(onEvent, kinds, canAnswer ? gate.questions().map(asked) : []);
  const forget = behind === undefined ? () => {} : listeners.waitFor(behind);
  return () => {
    unlisten();
    forget();
    leave();
  };
}

function asked(question: PermissionQuestion): SessionEvent {
  const { agent, call } = question;
  const event = { kind: 'question-asked', call: call.id, tool: call.tool, question } as const;
  return { agent: agent.id, seq: undefined, event };
}

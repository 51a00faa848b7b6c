/** Clients of a session: each sees its events, and may answer its questions. */

import type { Runtime } from '../agents/runtime.js';
import type { AgentEvent, Listener, SessionEvent } from '../protocol/events.js';
import type { PermissionQuestion } from '../protocol/permission.js';

/** A client of a session. */
export type Client = {
  /** Receives all events from now on. */
  readonly onEvent: Listener;
  /** Can answer questions, or only those of servers, with the `answer` command. The first answer applies. */
  readonly canAnswer?: boolean | 'elicitation';
  /** Only these kinds of events; omitted: all. */
  readonly kinds?: readonly AgentEvent['kind'][];
  /**
   * Resolves when it has processed its events; undefined: it has. The session waits for it before each turn, so that a
   * slow client costs time, not memory.
   */
  readonly whenReady?: () => Promise<unknown> | undefined;
};

export function attachClient(
  { ports: { gate }, listeners }: Runtime,
  { onEvent, canAnswer = false, kinds, whenReady }: Client,
): () => void {
  const leave = canAnswer ? gate.addAnswerer(canAnswer === true ? 'all' : canAnswer) : () => {};
  // A client that attaches while a question waits may answer it like the others.
  const missed = canAnswer ? gate.questions().map(asked) : [];
  const unlisten = listeners.add(onEvent, kinds, { missed, ...(whenReady === undefined ? {} : { whenReady }) });
  return () => {
    unlisten();
    leave();
  };
}

function asked(question: PermissionQuestion): SessionEvent {
  const { agent, call } = question;
  const event = { kind: 'question-asked', call: call.id, tool: call.tool, question } as const;
  return { agent: agent.id, seq: undefined, event };
}

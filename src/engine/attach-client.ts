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
  /**
   * Resolves when it has taken in what it was told; undefined: it has. The session waits for it before each turn, so that
   * a slow client costs time, not memory.
   */
  readonly whenReady?: () => Promise<unknown> | undefined;
};

export function attachClient(
  { ports: { gate }, listeners }: Runtime,
  { onEvent, canAnswer = false, kinds, whenReady }: Client,
): () => void {
  const leave = canAnswer ? gate.addAnswerer(canAnswer === true ? 'all' : canAnswer) : () => {};
  // One that comes while a question waits may answer it like the others.
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

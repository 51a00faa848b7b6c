/** An agent's activity: what its model is streaming, when it last showed a sign of life, and the retry it waits for. */

import type { AgentEvent, Retry } from '../../protocol/events.js';
import { inputTokens } from '../../protocol/usage.js';

/** A request that is retried after a delay. `at`: when the delay began. */
export type WaitView = Retry & { readonly line: string; readonly at: number };

export type AgentActivity = {
  /** Time of the last token, output or change; undefined before the first. */
  readonly signAt: number | undefined;
  /** What its model is sending; undefined between responses. `asked`: nothing has arrived yet. */
  readonly coming: 'asked' | 'text' | 'thinking' | 'call' | undefined;
  /** When that response was requested. */
  readonly askedAt: number | undefined;
  /** Characters of it received so far. */
  readonly streamed: number;
  readonly retry: WaitView | undefined;
  /** The last fault that was retried. It stays until a response begins, also after an interrupt (TU-27). */
  readonly lastFault: string | undefined;
  /** Tokens of the conversation in the model's last count. */
  readonly contextTokens: number;
};

const NOTHING_COMES = { coming: undefined, askedAt: undefined, streamed: 0 } as const;

export const NO_ACTIVITY: AgentActivity = {
  ...NOTHING_COMES,
  signAt: undefined,
  retry: undefined,
  lastFault: undefined,
  contextTokens: 0,
};

export function reduceActivity<A extends AgentActivity>(agent: A, event: AgentEvent, now: number): A {
  switch (event.kind) {
    case 'request-sent':
      return { ...agent, signAt: now, coming: 'asked', askedAt: now, streamed: 0, retry: undefined };
    case 'response-began':
      return { ...agent, signAt: now, retry: undefined, lastFault: undefined, streamed: 0 };
    case 'text-streamed':
      return streamed(agent, 'text', event.text.length, now);
    case 'thinking-streamed':
      return streamed(agent, 'thinking', event.text.length, now);
    case 'call-streamed':
      return streamed(agent, 'call', event.json.length, now);
    case 'assistant-replied': {
      const { usage } = event;
      const contextTokens = inputTokens(usage) + usage.output;
      return { ...agent, ...NOTHING_COMES, signAt: now, retry: undefined, lastFault: undefined, contextTokens };
    }
    case 'history-compacted':
    case 'history-cleared':
      return { ...agent, signAt: now, contextTokens: 0 };
    case 'fault-met':
      if (event.retry === undefined) return agent.lastFault === undefined ? agent : { ...agent, lastFault: undefined };
      return {
        ...agent,
        ...NOTHING_COMES,
        signAt: now,
        retry: { ...event.retry, line: event.line, at: now },
        lastFault: event.line,
      };
    case 'turn-started':
      return { ...agent, signAt: now, lastFault: undefined };
    case 'call-started':
    case 'call-progressed':
    case 'call-finished':
    case 'agent-spawned':
    case 'agent-state-changed':
      return { ...agent, signAt: now };
    case 'run-ended':
      return { ...agent, ...NOTHING_COMES, signAt: now, retry: undefined };
    default:
      return agent;
  }
}

function streamed<A extends AgentActivity>(
  agent: A,
  coming: NonNullable<AgentActivity['coming']>,
  chars: number,
  now: number,
): A {
  return { ...agent, coming, streamed: agent.streamed + chars, signAt: now };
}

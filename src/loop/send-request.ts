/**
 * Sends one request: reserves the worst case of each attempt, streams it, and settles. Failed attempts are shown and
 * paid for, too. Used for turns and compactions.
 */

import { type ModelFault, statusOf } from '../model/fault.js';
import type { ModelEvent } from '../model/model-client.js';
import { estimateHistory } from '../model/models.js';
import type { ModelRequest } from '../model/request.js';
import { FELL_BACK, type Retry } from '../protocol/events.js';
import { inputTokens, NO_USAGE, type Usage } from '../protocol/usage.js';
import type { Refused, Reservation } from './budget.js';
import { mostInput, type RequestFacts } from './request-facts.js';
import type { Run, TurnFailure } from './run.js';
import { type MostUsed, ReplyDraft } from './stream/reply-draft.js';

export type Sent =
  | {
      readonly kind: 'finished';
      readonly draft: ReplyDraft;
      readonly stop: string;
      readonly usage: Usage;
    }
  | { readonly kind: 'faulted'; readonly fault: ModelFault }
  /** The draft holds the text so far. */
  | { readonly kind: 'interrupted'; readonly draft: ReplyDraft }
  /** The budget does not allow the first, or another, attempt. */
  | TurnFailure;

export type SendOptions = {
  readonly facts: RequestFacts;
  /** Called once the budget has room, which may mean waiting for other requests. */
  readonly onSending?: () => Promise<unknown>;
  /** Receives the stream as it arrives. */
  readonly onEvent?: (event: ModelEvent) => Promise<unknown>;
};

/** How often, and for how long, to retry an overloaded model if there is a fallback. */
const OVERLOADED_TRIES = 3;
const LONGEST_WAIT_MS = 5_000;

export async function sendRequest(
  run: Run,
  request: ModelRequest,
  { facts, onSending, onEvent }: SendOptions,
): Promise<Sent> {
  const { agent, ports, signal } = run;
  const { maxTokens, cacheLifetime } = request;
  const input = mostInput(agent, request);
  const written = cacheLifetime === '1h' ? { cacheWrite1h: input } : { cacheWrite5m: input };
  const most = { input: { ...NO_USAGE, ...written }, output: maxTokens };
  const reserve = () => agent.budget.reserve(agent.epoch.model, input, maxTokens, signal);
  let reserved = await reserve();
  if (!reserved.ok) return notSent(run, reserved);
  let draft = new ReplyDraft();
  let overloads = 0;
  try {
    await onSending?.();
    for await (const event of ports.model.client.request(request, signal)) {
      draft.take(event);
      switch (event.type) {
        case 'retry-scheduled': {
          settle(reserved.reservation, draft, event.fault, most);
          if (event.fault.kind === 'overloaded') overloads += 1;
          // Switch to the fallback instead of waiting. Leaving the stream ends its retries.
          const isTried = overloads >= OVERLOADED_TRIES || event.delayMs > LONGEST_WAIT_MS;
          if (event.fault.kind === 'overloaded' && isTried && ports.fallback?.modelFor(agent) !== undefined) {
            if (draft.usage !== NO_USAGE) await discard(run, draft, event.fault.message, facts);
            return { kind: 'faulted', fault: event.fault };
          }
          const line = `${event.fault.message} · retrying in ${(event.delayMs / 1000).toFixed(1)} s (attempt ${event.attempt})`;
          await agent.emit({ kind: 'fault-met', fault: event.fault.kind, line, retry: retryOf(event) });
          await discard(run, draft, line, facts, event.delayMs);
          draft = new ReplyDraft();
          await agent.beforeRetry?.(signal);
          // The next attempt costs again, so it needs its own reservation.
          reserved = await reserve();
          if (!reserved.ok) return notSent(run, reserved);
          break;
        }
        case 'response-finished': {
          reserved.reservation.spend(event.usage ?? draft.mostOf(most));
          const usage = event.usage ?? (await estimateUsage(run, request, draft));
          return { kind: 'finished', draft, stop: event.stop, usage };
        }
        case 'fault':
          settle(reserved.reservation, draft, event.fault, most);
          if (event.fault.kind === 'aborted') return { kind: 'interrupted', draft };
          if (draft.usage !== NO_USAGE) await discard(run, draft, event.fault.message, facts);
          return { kind: 'faulted', fault: event.fault };
        default:
      }
      await onEvent?.(event);
    }
  } finally {
    if (reserved.ok) reserved.reservation.release();
  }
  return { kind: 'faulted', fault: { kind: 'stream-cut', message: 'the model client ended without an answer' } };
}

function retryOf({ attempt, delayMs, most = attempt, fault }: Extract<ModelEvent, { type: 'retry-scheduled' }>): Retry {
  return { attempt, most, delayMs, status: statusOf(fault) };
}

/** Switches to the fallback model until the run ends. Returns false if there is none. */
export async function fallBack({ agent, ports: { fallback } }: Run, fault: ModelFault): Promise<boolean> {
  const to = fault.kind === 'overloaded' ? fallback?.modelFor(agent) : undefined;
  if (fallback === undefined || to === undefined) return false;
  const from = agent.epoch.model.id;
  await fallback.take(agent);
  const line = `${from} is overloaded (${fault.message}); continuing this turn with ${to}`;
  await agent.emit({ kind: 'model-fallback', from, to, reason: 'overloaded', line });
  await agent.emit({ kind: 'fault-met', fault: FELL_BACK, line });
  return true;
}

/** Estimates usage for a server that does not report it. Without figures the conversation would never seem to grow. */
async function estimateUsage({ agent }: Run, { prefix, history }: ModelRequest, draft: ReplyDraft): Promise<Usage> {
  if (inputTokens(agent.state.usage) === 0) {
    const line = 'the server does not report token usage; sizes and costs are estimates from now on';
    await agent.emit({ kind: 'fault-met', fault: 'no-usage', line });
  }
  const input = Math.ceil(prefix.bytes.length / 3.5) + estimateHistory(history);
  return { ...NO_USAGE, input, output: draft.estimatedOutput };
}

/** Charges a failed attempt for the most it may have used. */
function settle(reservation: Reservation, draft: ReplyDraft, fault: ModelFault, most: MostUsed): void {
  reservation.spend(draft.mostUsed(fault, most));
  reservation.release();
}

/** Discards the response but records its usage. */
export async function discard(
  { agent }: Run,
  draft: ReplyDraft,
  line: string,
  facts: RequestFacts,
  delayMs = 0,
): Promise<void> {
  const { model, usage } = draft;
  await agent.emit({ kind: 'response-discarded', line, delayMs, model, usage, ...facts });
}

function notSent({ signal }: Run, { limit, line }: Refused): Sent {
  if (signal.aborted) return { kind: 'interrupted', draft: new ReplyDraft() };
  return { kind: 'failed', reason: limit, line };
}

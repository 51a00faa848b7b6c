/**
 * Sends one request: reserves its worst case, streams it, and settles. Failed attempts are shown and paid, too. Turns and
 * compactions both use it.
 */

import type { ModelFault } from '../model/fault.js';
import type { ModelEvent } from '../model/model-client.js';
import type { ModelRequest } from '../model/request.js';
import { NO_USAGE, type Usage } from '../protocol/usage.js';
import type { LimitReached, Reservation } from './account.js';
import { expectedInput } from './epoch.js';
import { ReplyDraft } from './reply-draft.js';
import type { Run, TurnFailure } from './run.js';

export type Sent =
  | { readonly kind: 'finished'; readonly draft: ReplyDraft; readonly stop: string; readonly usage: Usage }
  | { readonly kind: 'faulted'; readonly fault: ModelFault }
  /** The draft has the text so far. */
  | { readonly kind: 'interrupted'; readonly draft: ReplyDraft }
  /** The budget does not allow it; nothing was sent. */
  | TurnFailure;

/** `onEvent` sees the stream as it comes. */
export async function sendRequest(
  run: Run,
  request: ModelRequest,
  onEvent: (event: ModelEvent) => Promise<unknown> = async () => {},
): Promise<Sent> {
  const { account, epoch } = run.agent;
  const reserved = await account.reserve(epoch.model, expectedInput(run.agent), request.maxTokens, run.signal);
  if (!reserved.ok && run.signal.aborted) return { kind: 'interrupted', draft: new ReplyDraft() };
  if (!reserved.ok) return overBudget(reserved.limit);
  try {
    return await stream(run, request, reserved.reservation, onEvent);
  } finally {
    reserved.reservation.release();
  }
}

async function stream(
  run: Run,
  request: ModelRequest,
  reservation: Reservation,
  onEvent: (event: ModelEvent) => Promise<unknown>,
): Promise<Sent> {
  let draft = new ReplyDraft();
  for await (const event of run.ports.model.client.request(request, run.signal)) {
    switch (event.type) {
      case 'response-began':
        draft.begin(event);
        break;
      case 'text-streamed':
        draft.hear(event.index, event.text);
        break;
      case 'block-finished':
        draft.finish(event.index, event.block);
        break;
      case 'retry-scheduled': {
        const line = `${event.fault.message} · trying again in ${(event.delayMs / 1000).toFixed(1)} s (${event.attempt})`;
        await run.agent.emit({ kind: 'fault-met', fault: event.fault.kind, line });
        reservation.spend(draft.usage);
        await discard(run, draft, line, event.delayMs);
        draft = new ReplyDraft();
        await run.agent.beforeRetry?.(run.signal);
        break;
      }
      case 'response-finished':
        reservation.spend(event.usage);
        return { kind: 'finished', draft, stop: event.stop, usage: event.usage };
      case 'fault':
        reservation.spend(draft.usage);
        if (event.fault.kind === 'aborted') return { kind: 'interrupted', draft };
        if (draft.usage !== NO_USAGE) await discard(run, draft, event.fault.message);
        return { kind: 'faulted', fault: event.fault };
      case 'thinking-streamed':
      case 'call-streamed':
        break;
      default:
        event satisfies never;
    }
    await onEvent(event);
  }
  return { kind: 'faulted', fault: { kind: 'stream-cut', message: 'the model client ended without an answer' } };
}

/** The response does not count, but its usage does. */
export async function discard({ agent }: Run, draft: ReplyDraft, line: string, delayMs = 0): Promise<void> {
  await agent.emit({ kind: 'response-discarded', line, delayMs, model: draft.model, usage: draft.usage });
}

function overBudget(limit: LimitReached): TurnFailure {
  const flag = limit === 'max_usd' ? '--max-usd' : '--max-tokens';
  return { kind: 'failed', reason: limit, line: `stopped: the next request could go over the budget (${flag})` };
}

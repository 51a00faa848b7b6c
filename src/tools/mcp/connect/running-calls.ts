/** The running calls of a connection, and the questions that their server asks the user meanwhile (MC-7, MC-23). */

import type { ElicitResult } from '@modelcontextprotocol/client';
import { newAbort } from '../../../host/clock.js';
import type { ElicitationRequest } from '../../../protocol/mcp/elicitation.js';
import type { Elicit } from './connection.js';
import type { PausableTimers } from './pausable-timers.js';

/** Open questions at a time, so that a server can't flood the user. */
const MOST_QUESTIONS = 4;

export type RunningCall = { readonly agentId: string; readonly signal: AbortSignal };

/** The part of an elicitation's parameters that we use; the SDK has checked them. */
type ElicitParams = {
  readonly mode?: string | undefined;
  readonly message: string;
  readonly requestedSchema?: unknown;
  readonly url?: unknown;
};

export class RunningCalls {
  readonly #calls = new Set<RunningCall>();
  readonly #patience: PausableTimers;
  readonly #elicit: Elicit;
  readonly #server: string;
  #questions = 0;

  constructor(server: string, patience: PausableTimers, elicit: Elicit) {
    this.#server = server;
    this.#patience = patience;
    this.#elicit = elicit;
  }

  /** Returns a function that ends it. */
  begin(call: RunningCall): () => void {
    this.#calls.add(call);
    return () => void this.#calls.delete(call);
  }

  /** Pauses all limits of the connection while the user is asked. Never rejects. */
  async ask(params: ElicitParams, signal: AbortSignal): Promise<ElicitResult> {
    if (this.#questions >= MOST_QUESTIONS) return { action: 'cancel' };
    this.#questions += 1;
    const goOn = this.#patience.halt();
    const { agentId, ended } = this.#whose(signal);
    try {
      const answer = await this.#elicit(toRequest(this.#server, params), agentId, ended);
      if (answer.action !== 'accept') return { action: answer.action };
      const content = answer.content === undefined ? {} : { content: { ...answer.content } as ElicitResult['content'] };
      return { action: 'accept', ...content };
    } catch {
      return { action: 'cancel' };
    } finally {
      this.#questions -= 1;
      goOn();
    }
  }

  /** A question on behalf of one agent ends with the last of its calls that were running. */
  #whose(signal: AbortSignal): { readonly agentId: string | undefined; readonly ended: AbortSignal } {
    const calls = [...this.#calls];
    const agents = new Set(calls.map(({ agentId }) => agentId));
    const [agentId] = agents;
    if (agentId === undefined || agents.size > 1) return { agentId: undefined, ended: signal };
    const over = newAbort();
    const look = () => {
      if (calls.every((call) => call.signal.aborted)) over.abort();
    };
    for (const call of calls) call.signal.addEventListener('abort', look, { once: true });
    look();
    return { agentId, ended: AbortSignal.any([signal, over.signal]) };
  }
}

function toRequest(server: string, { mode, message, requestedSchema, url }: ElicitParams): ElicitationRequest {
  if (mode === 'url') return { server, message, mode, url: String(url) };
  return { server, message, mode: 'form', schema: requestedSchema as Readonly<Record<string, unknown>> };
}

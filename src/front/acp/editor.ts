/** The editor at the other end: its capabilities, and requests to it. */

import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import * as z from 'zod';
import type { Outbox } from './outbox.js';
import type { SessionUpdates } from './session-updates.js';

export type Editor = {
  readonly capabilities: ClientCapabilities;
  /** Aborts when it is gone. */
  readonly gone: AbortSignal;
  readonly client: Pick<AgentContext, 'request' | 'notify'>;
};

/** What a question of a session needs to be asked. */
export type Asking = {
  readonly editor: Editor;
  readonly session: string;
  readonly updates: SessionUpdates;
  readonly outbox: Outbox;
};

/** The editor is another program: its answers are checked. */
const outcome = z.object({
  outcome: z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('cancelled') }),
    z.object({ outcome: z.literal('selected'), optionId: z.string() }),
  ]),
});

/** The chosen option; undefined if the question was dismissed. Rejects if the editor fails or is gone. */
export async function requestPermission(
  { client }: Editor,
  request: RequestPermissionRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
  const answer: RequestPermissionResponse = await client.request('session/request_permission', request, options);
  const said = outcome.parse(answer).outcome;
  return said.outcome === 'selected' ? said.optionId : undefined;
}

const elicited = z.object({ action: z.string(), content: z.record(z.string(), z.unknown()).nullish() });

export type Elicited = z.infer<typeof elicited>;

export async function requestElicitation(
  { client }: Editor,
  request: CreateElicitationRequest,
  signal: AbortSignal,
): Promise<Elicited> {
  const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
  const answer: CreateElicitationResponse = await client.request('elicitation/create', request, options);
  return elicited.parse(answer);
}

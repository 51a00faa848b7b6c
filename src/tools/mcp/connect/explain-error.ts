/** Explains, for users and models, why an operation on a server failed, and classifies the failure. */

import { shellWord } from '../../../config/shell-word.js';
import { escapeControls } from '../../../protocol/escape-controls.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import { neutralizeTags } from '../../../protocol/tags.js';
import type { Channel, Refusal, Sdk } from './channels/channel.js';
import { isUnreached } from './channels/signed-fetch.js';
import { hideSecrets } from './hide-secrets.js';

const MOST_TOLD = 1_000;

/** The HTTP status, if there was one. */
export function statusOf(sdk: Sdk, error: unknown): number | undefined {
  if (error instanceof sdk.SdkHttpError) return error.status;
  if (error instanceof sdk.SseError) return error.code;
  const posted = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(reasonOf(error))?.[1];
  return posted === undefined ? undefined : Number(posted);
}

export function wantsSignIn(sdk: Sdk, error: unknown): boolean {
  const isRefused = error instanceof sdk.UnauthorizedError || error instanceof sdk.InsufficientScopeError;
  return isRefused || statusOf(sdk, error) === 401;
}

/** Our own provider's message, with the command to run. */
export function signInReason(sdk: Sdk, name: string, error: unknown): string {
  if (error instanceof sdk.UnauthorizedError && error.message.includes('coppice mcp login')) return error.message;
  return `the server wants a sign-in; run: coppice mcp login ${shellWord(name)}`;
}

/** Explains a failed attempt to connect. `isPassing`: a retry may help. */
export function explainRefusal(
  sdk: Sdk,
  name: string,
  error: unknown,
  channel: Channel,
): Refusal & { readonly isPassing: boolean } {
  const status = statusOf(sdk, error);
  const tell = (kind: Refusal['kind'], reason: string, isPassing = false) => ({
    ok: false as const,
    kind,
    reason,
    isPassing,
  });
  if (wantsSignIn(sdk, error) && channel.signsItself) {
    return tell('refused', 'the server refuses the Authorization header of the configuration (401): check "headers"');
  }
  if (wantsSignIn(sdk, error)) return tell('needs-sign-in', signInReason(sdk, name, error));
  const output = explainError(sdk, error, channel);
  if (status === 403) return tell('refused', `the server refuses access (403): ${output}`);
  if (status === 404) return tell('refused', `there is no MCP server at this URL (404): check "url"`);
  if (isUnreached(error)) return tell('failed', `the server can't be reached: ${output}`, true);
  return tell('failed', output, status !== undefined && status >= 500);
}

/** A server's text is data: bounded, with visible characters and without our tags. */
export function explainError(sdk: Sdk, error: unknown, channel: Channel): string {
  if (error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.ConnectionClosed) {
    return channel.whyLost() ?? 'the connection was closed';
  }
  const content = clean(textOf(error), channel.secrets());
  if (error instanceof sdk.ProtocolError) return `error ${error.code}: ${content}`;
  const status = statusOf(sdk, error);
  return status === undefined ? content : `HTTP status ${status}: ${content}`;
}

/** `fetch` hides its reason in causes. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  const isHidden = error.message === '' || error.message === 'fetch failed';
  return isHidden && inner instanceof Error ? textOf(inner) : error.message;
}

function clean(content: string, secrets: readonly string[]): string {
  const shown = hideSecrets(content, secrets, MOST_TOLD);
  const text = content.length > MOST_TOLD ? `${shown} …` : shown;
  return neutralizeTags(escapeControls(text.trim().toWellFormed())) || 'no reason given';
}

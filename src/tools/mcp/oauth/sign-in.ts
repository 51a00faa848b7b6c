/** Signs the user in to a remote server: OAuth 2.1 with PKCE and a callback on this machine (MC-8, MC-24). */

import { computeScopeUnion, exchangeAuthorization, startAuthorization } from '@modelcontextprotocol/client';
import { type CallbackPage, listenForCallback } from '../../../host/callback/listen-callback.js';
import { newAbort } from '../../../host/clock.js';
import type { Host } from '../../../host/host.js';
import { withLock } from '../../../host/locks/with-lock.js';
import { type Discovered, discover } from './discover.js';
import { type AnswerReceipt, type ExpectedAnswer, expectAnswer, failed, type SignInOutcome } from './expect-answer.js';
import { explainFailure } from './explain-failure.js';
import { type Client, findClient } from './find-client.js';
import { checkTokens } from './issued-tokens.js';
import { openOAuthFetch } from './oauth-fetch.js';
import { addressOf, hasFixedAuthorization, type RemoteServer, refuseAddress, showAddress } from './remote-server.js';
import { lockOf, type StoredSignIn, writeSignIn } from './stored-sign-in.js';

export type SignInOptions = {
  readonly server: RemoteServer;
  readonly host: Host;
  /** Cancels the sign-in. */
  readonly signal: AbortSignal;
  /** Takes the user to the address; the signal aborts when that is no longer needed. Must not reject. */
  readonly visit: (url: URL, redirectUrl: string, signal: AbortSignal) => Promise<void>;
  /** The next line pasted by the user; undefined: none will come. Must not reject. */
  readonly nextPasted: (signal: AbortSignal) => Promise<string | undefined>;
  /** Prompts without echo. Undefined: the user can't be asked. */
  readonly askSecret: (question: string) => Promise<string | undefined>;
  /** Shows one line to the user. */
  readonly print: (line: string) => void;
};

const LONGEST_WAIT_MS = 10 * 60_000;
const CALLBACK_PATH = '/callback';

/** Never rejects. */
export async function signIn(options: SignInOptions): Promise<SignInOutcome> {
  try {
    const refused = refuseServer(options.server) ?? refusePort(options);
    return refused === undefined ? await runSignIn(options) : failed(refused);
  } catch (error) {
    return options.signal.aborted ? CANCELLED : failed(explainFailure(error));
  }
}

const CANCELLED: SignInOutcome = { ok: false, kind: 'cancelled', reason: 'the sign-in was cancelled' };

function refuseServer(server: RemoteServer): string | undefined {
  const url = addressOf(server);
  if (hasFixedAuthorization(server)) {
    return `${server.name} has a fixed Authorization header, which is used instead of a sign-in: remove it from its headers to sign in`;
  }
  const refused = refuseAddress(url, url);
  return refused === undefined ? undefined : `${refused}: a token would be sent in the clear`;
}

async function runSignIn(options: SignInOptions): Promise<SignInOutcome> {
  const { server, host, signal } = options;
  const found = await discover(server, host, signal);
  // Secret: two of them have more than 128 random bits.
  const state = `${host.newShortId()}${host.newShortId()}`;
  const late: { answer?: ExpectedAnswer } = {};
  const listening = await listenForCallback({
    port: portOf(options),
    path: CALLBACK_PATH,
    answer: async (query) => pageFor(await late.answer?.take(query), server),
  });
  if (!listening.ok) {
    return failed(
      `cannot wait for the browser: ${listening.reason}. Set another one with oauth.callbackPort or MCP_OAUTH_CALLBACK_PORT`,
    );
  }
  const { listener } = listening;
  const redirectUrl = `http://localhost:${listener.port}${CALLBACK_PATH}`;
  try {
    const scope = chooseScope(server.config.oauth?.scopes, found.scope, found.metadata.scopes_supported);
    const fetch = await openOAuthFetch(host, { signal });
    const client = await findClient({ ...options, ...found, fetch, scope, redirectUrl });
    const { authorizationUrl, codeVerifier } = await startAuthorization(found.metadata.issuer, {
      metadata: found.metadata,
      clientInformation: client,
      redirectUrl,
      state,
      resource: found.resource,
      ...(scope === undefined ? {} : { scope }),
    });
    const redeem = (code: string, iss: string | undefined) =>
      exchange(options, found, client, { code, iss, codeVerifier, redirectUrl, scope });
    const answer = expectAnswer({ state, metadata: found.metadata, redeem });
    late.answer = answer;
    return await waitForAnswer(options, answer, (over) => options.visit(authorizationUrl, redirectUrl, over));
  } finally {
    await listener.close();
  }
}

/** The first of: an answer, a cancellation by the user, a timeout. */
async function waitForAnswer(
  { host, signal, nextPasted, print }: SignInOptions,
  answer: ExpectedAnswer,
  visit: (signal: AbortSignal) => Promise<void>,
): Promise<SignInOutcome> {
  const over = newAbort();
  const end = () => over.abort();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const tooLong = failed('nobody signed in within 10 minutes: run the command again');
    // Also ends when the signal aborts.
    const timeout = host.clock.sleep(LONGEST_WAIT_MS, over.signal).then(() => (signal.aborted ? CANCELLED : tooLong));
    const visited = visit(over.signal).then(() => takePasted(answer, over.signal, nextPasted, print));
    return await Promise.race([answer.outcome, timeout, visited]);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

/** Never resolves: the outcome comes from the accepted answer. */
async function takePasted(
  answer: ExpectedAnswer,
  signal: AbortSignal,
  nextPasted: SignInOptions['nextPasted'],
  print: SignInOptions['print'],
): Promise<never> {
  for (;;) {
    const line = await nextPasted(signal);
    if (line === undefined || signal.aborted) return new Promise(() => {});
    if (line.trim() === '') continue;
    const taken = await answer.take(queryOf(line.trim()));
    if (taken.kind === 'ignored')
      print(`This can't be used: ${taken.reason}. Paste the whole address from the browser.`);
  }
}

function queryOf(line: string): URLSearchParams {
  return URL.canParse(line) ? new URL(line).searchParams : new URLSearchParams(line);
}

function pageFor(taken: AnswerReceipt | undefined, { name }: RemoteServer): CallbackPage {
  if (taken === undefined) return callbackPage(400, 'Not yet', 'No sign-in is waiting for an answer.');
  if (taken.kind === 'ignored') return callbackPage(400, 'Not accepted', `This answer was not used: ${taken.reason}.`);
  if (taken.outcome.ok) {
    return callbackPage(
      200,
      'Signed in',
      `You are signed in to ${name}. You can close this page and go back to the terminal.`,
    );
  }
  return callbackPage(
    400,
    'Not signed in',
    `${taken.outcome.reason}. You can close this page and go back to the terminal.`,
  );
}

type Exchange = {
  readonly code: string;
  readonly iss: string | undefined;
  readonly codeVerifier: string;
  readonly redirectUrl: string;
  readonly scope: string | undefined;
};

/** Never rejects. */
async function exchange(
  { server, host, signal }: SignInOptions,
  { metadata, resource }: Discovered,
  client: Client,
  { code, iss, codeVerifier, redirectUrl, scope }: Exchange,
): Promise<SignInOutcome> {
  try {
    const issued = await exchangeAuthorization(metadata.issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier,
      redirectUri: redirectUrl,
      resource,
      fetchFn: await openOAuthFetch(host, { signal }),
      ...(iss === undefined ? {} : { iss }),
    });
    const checked = checkTokens(issued, host.clock.now());
    if (!checked.ok) return failed(`${showAddress(new URL(metadata.issuer))}: ${checked.reason}`);
    // RFC 6749, 5.1: if omitted, the scope is as requested.
    const granted = checked.tokens.scope ?? scope;
    return await keep(host, addressOf(server), {
      version: 1,
      url: addressOf(server).href,
      issuer: metadata.issuer,
      resource,
      metadata: keptMetadata(metadata),
      client,
      ...checked.tokens,
      ...(granted === undefined ? {} : { scope: granted }),
    });
  } catch (error) {
    if (signal.aborted) return CANCELLED;
    return failed(
      `the sign-in could not be completed: ${explainFailure(error, [code, codeVerifier, client.client_secret])}`,
    );
  }
}

async function keep(host: Host, url: URL, signedIn: StoredSignIn): Promise<SignInOutcome> {
  const { issuer, scope, refresh_token } = signedIn;
  const kept = await withLock(host, lockOf(host, url), () => writeSignIn(host, url, signedIn));
  if (!kept.ok) return failed(`the sign-in can't be kept: ${kept.reason}`);
  const aside = kept.value === undefined ? {} : { setAside: kept.value };
  const granted = scope === undefined ? {} : { scope };
  return { ok: true, issuer, isRenewable: refresh_token !== undefined, ...granted, ...aside };
}

function keptMetadata(metadata: Discovered['metadata']): StoredSignIn['metadata'] {
  const { issuer, authorization_endpoint, token_endpoint, token_endpoint_auth_methods_supported } = metadata;
  const revocation = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  return {
    issuer,
    authorization_endpoint,
    token_endpoint,
    response_types_supported: metadata.response_types_supported,
    ...(typeof revocation === 'string' ? { revocation_endpoint: revocation } : {}),
    ...(token_endpoint_auth_methods_supported === undefined ? {} : { token_endpoint_auth_methods_supported }),
  };
}

function portOf({ server, host }: SignInOptions): number {
  return server.config.oauth?.callbackPort ?? Number(host.env.MCP_OAUTH_CALLBACK_PORT || 0);
}

function refusePort(options: SignInOptions): string | undefined {
  const port = portOf(options);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return undefined;
  return 'MCP_OAUTH_CALLBACK_PORT (or oauth.callbackPort) must be a port: a number from 1 to 65535';
}

/** The page that the browser shows after returning from the authorization server. */
function callbackPage(status: number, title: string, text: string): CallbackPage {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 4em auto; padding: 0 1em }</style></head>
<body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></body></html>
`;
  return { status, html };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/**
 * The configured ones, else those the server asked for, else none: many servers refuse a request for everything they
 * offer. Adds `offline_access`, if offered, so that the sign-in can be renewed.
 */
function chooseScope(
  configured: string | undefined,
  asked: string | undefined,
  offered: readonly string[] = [],
): string | undefined {
  const wanted = configured?.trim() ? configured : asked;
  return computeScopeUnion(wanted, offered.includes('offline_access') ? 'offline_access' : undefined);
}

/**
 * Accepts the authorization server's answer from the browser or pasted by the user. Only an answer with our state is
 * accepted, and only once: any program on this machine can send others, which must not end the sign-in.
 */

import { type AuthorizationServerMetadata, validateAuthorizationResponseIssuer } from '@modelcontextprotocol/client';
import type { Failure } from '../../../protocol/result.js';
import { clean, explainFailure } from './explain-failure.js';

export type SignInOutcome =
  | {
      readonly ok: true;
      readonly issuer: string;
      readonly scope?: string;
      /** If false, the user has to sign in again when the token expires. */
      readonly isRenewable: boolean;
      /** Where a damaged file of an earlier sign-in was moved. */
      readonly setAside?: string;
    }
  | (Failure & { readonly kind: 'failed' | 'cancelled' });

export type AnswerReceipt =
  /** Not the expected answer; keep waiting. */
  { readonly kind: 'ignored'; readonly reason: string } | { readonly kind: 'taken'; readonly outcome: SignInOutcome };

export type AnswerOptions = {
  readonly state: string;
  readonly metadata: AuthorizationServerMetadata;
  /** Exchanges the code for tokens and stores them. Must not reject. */
  readonly redeem: (code: string, iss: string | undefined) => Promise<SignInOutcome>;
};

export interface ExpectedAnswer {
  take(query: URLSearchParams): Promise<AnswerReceipt>;
  /** The outcome of the accepted answer. */
  readonly outcome: Promise<SignInOutcome>;
}

export function expectAnswer({ state, metadata, redeem }: AnswerOptions): ExpectedAnswer {
  let isTaken = false;
  let settle: (outcome: SignInOutcome) => void = () => {};
  const outcome = new Promise<SignInOutcome>((resolve) => {
    settle = resolve;
  });
  return {
    outcome,
    take: async (query) => {
      const reason = reasonToIgnore(query, state);
      if (reason !== undefined) return { kind: 'ignored', reason };
      if (isTaken) return { kind: 'ignored', reason: 'this answer was already used' };
      isTaken = true;
      const result = await judge(query, metadata, redeem);
      settle(result);
      return { kind: 'taken', outcome: result };
    },
  };
}

function reasonToIgnore(query: URLSearchParams, state: string): string | undefined {
  if (query.get('state') === null) return 'it has no state, so it is no answer to this sign-in';
  if (query.get('state') !== state) return 'its state is not the one of this sign-in; it may belong to an earlier one';
  const repeated = ['state', 'code', 'iss', 'error'].find((name) => query.getAll(name).length > 1);
  return repeated === undefined ? undefined : `it has ${repeated} twice`;
}

async function judge(
  query: URLSearchParams,
  metadata: AuthorizationServerMetadata,
  redeem: AnswerOptions['redeem'],
): Promise<SignInOutcome> {
  const iss = query.get('iss') ?? undefined;
  try {
    // Validated before anything else in it is trusted, including the text of an error.
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
  } catch (error) {
    return failed(`the answer was not accepted: ${explainFailure(error)}`);
  }
  const error = query.get('error');
  if (error !== null) return failed(`the sign-in was refused: ${describeError(error, query.get('error_description'))}`);
  const code = query.get('code');
  if (code === null || code === '') return failed('the answer has neither a code nor an error');
  return redeem(code, iss);
}

function describeError(error: string, description: string | null): string {
  return clean(description === null || description === '' ? error : `${error}: ${description}`);
}

export function failed(reason: string): SignInOutcome {
  return { ok: false, kind: 'failed', reason };
}

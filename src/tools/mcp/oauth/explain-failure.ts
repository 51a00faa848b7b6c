/** Explains why a sign-in request failed, without any secrets that the response may repeat. */

import { IssuerMismatchError, OAuthError, RegistrationRejectedError } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { parseJson } from '../../../protocol/json/json-values.js';
import { reasonOf } from '../../../protocol/reason-of.js';

const MOST_CHARACTERS = 400;

export function explainFailure(error: unknown, secrets: readonly (string | undefined)[] = []): string {
  return clean(describe(error), secrets);
}

/** Cleans untrusted text to one line. */
export function clean(text: string, secrets: readonly (string | undefined)[] = []): string {
  const without = secrets.reduce<string>((rest, secret) => (secret ? rest.replaceAll(secret, '…') : rest), text);
  const line = escapeToLine(without);
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
}

function describe(error: unknown): string {
  if (error instanceof OAuthError) return withCode(error.code, error.message);
  if (error instanceof RegistrationRejectedError) return `it refused to register a client: ${describeBody(error)}`;
  if (error instanceof IssuerMismatchError) {
    const received = error.received === undefined ? 'names none' : `names ${JSON.stringify(error.received)}`;
    const what = error.kind === 'metadata' ? 'its metadata' : 'the answer';
    return `${what} should come from the issuer ${JSON.stringify(error.expected)} and ${received}`;
  }
  // Their messages quote the response.
  if (error instanceof SyntaxError) return 'its answer is not JSON';
  if (isSchemaError(error)) return `its answer is not as OAuth requires: ${describeIssues(error)}`;
  return reasonOf(error);
}

function withCode(code: string, message: string): string {
  return message === '' || message === code ? code : `${code}: ${message}`;
}

function describeBody({ status, body }: RegistrationRejectedError): string {
  const parsed = errorBody.safeParse(parseJson(body));
  return parsed.success ? withCode(parsed.data.error, parsed.data.error_description ?? '') : `HTTP ${status}`;
}

const errorBody = z.object({ error: z.string(), error_description: z.string().optional() });

/** Checked by shape: the SDK may have another copy of the library. */
function isSchemaError(error: unknown): error is { issues: readonly { path: readonly PropertyKey[] }[] } {
  return error instanceof Error && 'issues' in error && Array.isArray(error.issues);
}

function describeIssues({ issues }: { readonly issues: readonly { readonly path: readonly PropertyKey[] }[] }): string {
  const places = issues.map(({ path }) => path.map(String).join('.') || 'the whole');
  return `${[...new Set(places)].slice(0, 5).join(', ')} ${places.length === 1 ? 'is' : 'are'} missing or wrong`;
}

/** Headers printed by a configured command (MC-26). Its output is secret: it must not appear in messages or logs. */

import type { RemoteConfig } from '../../../../config/mcp/server-config.js';
import { configDir } from '../../../../config/paths.js';
import { byteSize } from '../../../../protocol/format-numbers.js';
import { isObject } from '../../../../protocol/json/json-values.js';
import type { Failure } from '../../../../protocol/result.js';
import type { ConnectRequest, ServerEnvironment } from '../connection.js';

/** `isRefused`: it may not run, so retrying is pointless. */
export type FoundHeaders =
  | { readonly ok: true; readonly headers: Readonly<Record<string, string>> }
  | (Failure & { readonly isRefused?: true });

const LIMIT_MS = 10_000;
const MOST_PRINTED = 64 * 1024;

export async function runHeadersHelper(
  { host, server, signal }: Pick<ConnectRequest, 'host' | 'server' | 'signal'>,
  config: RemoteConfig & { readonly headersHelper: string },
  { env }: ServerEnvironment,
): Promise<FoundHeaders> {
  const { code, stdout, stdoutBytes, timedOut, error, aborted } = await host.processes.run({
    file: '/bin/sh',
    args: ['-c', config.headersHelper],
    cwd: server.isForeign ? host.folder : configDir(host.env),
    env: { ...env, CLAUDE_CODE_MCP_SERVER_NAME: server.name, CLAUDE_CODE_MCP_SERVER_URL: config.url },
    timeoutMs: LIMIT_MS,
    signal,
    maxBytes: MOST_PRINTED,
  });
  const failed = (what: string): FoundHeaders => ({
    ok: false,
    reason: `its headersHelper ${what}: run the command by hand to see why`,
  });
  if (error !== undefined) return failed(`could not be started (${error.message})`);
  if (aborted) return failed('was stopped');
  if (timedOut) return failed(`took longer than ${LIMIT_MS / 1000} seconds`);
  if (code !== 0) return failed(`failed with exit code ${code}`);
  if (stdoutBytes > MOST_PRINTED) return failed(`printed more than ${byteSize(MOST_PRINTED)}`);
  const headers = readHeaders(stdout.toString('utf8'));
  return headers === undefined
    ? failed('must print a JSON object of strings, such as {"Authorization": "Bearer …"}, and did not')
    : { ok: true, headers };
}

function readHeaders(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const entries = Object.entries(value);
    if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')) return undefined;
    // Rejects names and values that are not valid in headers.
    new Headers(entries);
    return Object.fromEntries(entries);
  } catch {
    return undefined;
  }
}

/** Waits for the MCP servers that a definition requires (MC-5). */

import type { Clock } from '../../host/clock.js';
import type { ServerReport } from '../../protocol/mcp/server-report.js';
import type { Servers } from '../../tools/mcp/server-access.js';

const LONGEST_MS = 30_000;
const LOOK_EVERY_MS = 500;

export type RequiredQuery = {
  /** Names, or patterns with `*`; case does not matter. */
  readonly required: readonly string[];
  readonly servers: Pick<Servers, 'reports'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/**
 * Returns why it can't start; undefined once each has connected and offers a tool. Returns early if one can't connect
 * any more.
 */
export async function waitForRequired(question: RequiredQuery): Promise<string | undefined> {
  const { required, servers, clock, signal } = question;
  if (required.length === 0) return undefined;
  const until = clock.elapsed() + LONGEST_MS;
  for (;;) {
    const missing = required.map((pattern) => judge(pattern, servers.reports())).filter((one) => one.kind !== 'there');
    if (missing.length === 0) return undefined;
    const isOver = clock.elapsed() >= until || signal.aborted || missing.some(({ kind }) => kind === 'failed');
    if (isOver) return `it needs MCP servers that are not there: ${missing.map(({ words }) => words).join('; ')}`;
    await clock.sleep(Math.min(LOOK_EVERY_MS, until - clock.elapsed()), signal);
  }
}

type Judged = { readonly kind: 'there' | 'coming' | 'failed'; readonly words: string };

function judge(pattern: string, reports: readonly ServerReport[]): Judged {
  const matching = reports.filter(({ name }) => matches(pattern, name));
  const there = matching.some(({ status, tools }) => status === 'connected' && tools.length > 0);
  if (there) return { kind: 'there', words: pattern };
  if (matching.length === 0) return { kind: 'failed', words: `${pattern} (no server of that name is configured)` };
  const coming = matching.find(({ status }) => status === 'connecting' || status === 'connected');
  const content = (coming === undefined ? matching : [coming]).map(describe).join(', ');
  return { kind: coming === undefined ? 'failed' : 'coming', words: `${pattern} (${content})` };
}

function describe({ name, status, reason }: ServerReport): string {
  if (status === 'connected') return `${name} is connected and offers no tool`;
  if (status === 'connecting') return `${name} is still connecting`;
  return `${name}: ${reason ?? status}`;
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().split('*').map(escaped);
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name.toLowerCase());
}

function escaped(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
}

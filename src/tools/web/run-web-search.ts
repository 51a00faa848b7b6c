/** Runs one WebSearch call: requests the search and formats the results for the model and for hooks. */

import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { oneLine } from '../../protocol/text/one-line.js';
import type { WebSearchInput, WebSearchResponse } from '../../protocol/tools/web.js';
import { interrupted } from '../failures.js';
import type { ToolContext } from '../tool.js';
import type { SearchWeb, WebSearchAnswer, WebSearchPart } from './search-port.js';

const MAX_HITS = 50;
const MAX_TITLE = 300;
const MAX_URL = 2_000;
const MAX_SAID = 20_000;

type Answered = Extract<WebSearchAnswer, { kind: 'answered' }>;

export async function runWebSearch(
  search: SearchWeb,
  input: WebSearchInput,
  context: Pick<ToolContext, 'agentId' | 'signal' | 'host' | 'progress'>,
): Promise<ToolOutcome> {
  const { clock } = context.host;
  const started = clock.elapsed();
  context.progress(`searching the web for ${input.query}`);
  const question = {
    agent: context.agentId,
    query: input.query,
    allowedDomains: hostsOf(input.allowed_domains),
    blockedDomains: hostsOf(input.blocked_domains),
  };
  const answer = await search(question, context.signal);
  const paid = answer.paid === undefined ? {} : { paid: answer.paid };
  switch (answer.kind) {
    case 'aborted':
      return { ...interrupted(), ...paid };
    case 'failed':
      return { ...failed(answer.reason), ...paid };
    case 'answered':
      return { ...showAnswer(input.query, answer, clock.elapsed() - started), ...paid };
    default:
      return answer satisfies never;
  }
}

/** Models sometimes write URLs instead of hosts. */
function hostsOf(domains: readonly string[] = []): string[] {
  return domains.map((domain) => domain.replace(/^https?:\/\//i, '').replace(/\/+$/, ''));
}

function showAnswer(query: string, { parts, notes }: Answered, ms: number): ToolOutcome {
  const clean = parts.map(cleanPart);
  const answers = clean.filter(({ kind }) => kind === 'found');
  if (answers.length === 0) return failed(whyNothing(clean));
  const response = (): WebSearchResponse => ({
    query,
    results: clean.map(resultOf),
    durationSeconds: Math.round(ms) / 1_000,
  });
  return { ...succeeded(describeParts(query, clean, notes)), response };
}

/** No search was completed: text written without one is not a search result. */
function whyNothing(parts: readonly WebSearchPart[]): string {
  const reasons = parts.flatMap((part) => (part.kind === 'failed' ? [part.reason] : []));
  if (reasons.length > 0) return [...new Set(reasons)].join('\n');
  return 'No search was made for this query. Say what to look for in other words, and search again.';
}

function resultOf(part: WebSearchPart): WebSearchResponse['results'][number] {
  switch (part.kind) {
    case 'found':
      return { tool_use_id: part.id, content: part.hits };
    case 'said':
      return part.text;
    case 'failed':
      return part.reason;
    default:
      return part satisfies never;
  }
}

function describeParts(query: string, parts: readonly WebSearchPart[], notes: readonly string[]): string {
  let number = 0;
  const paragraphs = parts.map((part) => {
    switch (part.kind) {
      case 'said':
        return part.text.trim();
      case 'failed':
        return part.reason;
      case 'found':
        if (part.hits.length === 0) return '(this search found nothing)';
        return part.hits.map(({ title, url }) => `${++number}. ${title}\n   ${url}`).join('\n');
      default:
        return part satisfies never;
    }
  });
  const head = `Results of the web for: ${oneLine(query)}`;
  return [head, ...paragraphs, ...notes].filter((paragraph) => paragraph !== '').join('\n\n');
}

/** Content from the web is data: one line per title, fetchable addresses, no control characters. */
function cleanPart(part: WebSearchPart): WebSearchPart {
  switch (part.kind) {
    case 'said':
      return { ...part, text: bound(plain(part.text), MAX_SAID) };
    case 'found':
      return { ...part, hits: part.hits.flatMap(cleanHit).slice(0, MAX_HITS) };
    case 'failed':
      return part;
    default:
      return part satisfies never;
  }
}

function cleanHit({ title, url }: { title: string; url: string }): { title: string; url: string }[] {
  if (url.length > MAX_URL || !URL.canParse(url)) return [];
  const { protocol, href } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return [];
  return [{ title: bound(oneLine(plain(title)), MAX_TITLE) || '(no title)', url: href }];
}

/** Removes control characters and bidirectional overrides. Line breaks and tabs stay. */
function plain(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .toWellFormed();
}

function bound(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()} […]`;
}

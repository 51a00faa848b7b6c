/** Looks at forks from outside: bodies on the wire, parsed and compared, with nothing of our own bookkeeping. */

import { expect } from 'vitest';
import type { Siblings } from '../../../src/protocol/events.js';
import type { Sim, SimRequest } from '../../../src/sim/index.js';
import { comparable, countMarkers } from '../../support/wire-body.js';

const TAG = '<fork-boilerplate>';
/** On the wire and in every transcript that was ever written: never another. */
export const PLACEHOLDER = 'Fork started — processing in background';

type Block = {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly text?: string;
  readonly content?: unknown;
};
type Message = { readonly role: string; readonly content: readonly Block[] };

export function messagesOf(request: SimRequest): readonly Message[] {
  return JSON.parse(comparable(request).concat(']}')).messages as Message[];
}

/** The last directive in a body tells whose request it is: a fork's, or the parent's. */
function forkOf(request: SimRequest): string | undefined {
  const texts = messagesOf(request).flatMap((message) => message.content.map((block) => block.text ?? ''));
  const directive = texts.findLast((text) => text.startsWith(TAG));
  return directive === undefined ? undefined : /DIRECTIVE \S+/.exec(directive)?.[0];
}

export function parentRequests(sim: Sim): SimRequest[] {
  return sim.requests.filter((request) => forkOf(request) === undefined);
}

export function forkRequests(sim: Sim): Map<string, SimRequest[]> {
  const forks = new Map<string, SimRequest[]>();
  for (const request of sim.requests) {
    const fork = forkOf(request);
    if (fork !== undefined) forks.set(fork, [...(forks.get(fork) ?? []), request]);
  }
  return forks;
}

/**
 * Every request of every fork begins with its parent's last one, and each with the fork's one before it. Siblings that
 * see `all` differ in nothing but the directive; those that see their `own` call know no other directive.
 */
export function expectIdentity(
  sim: Sim,
  parent: SimRequest,
  count: number,
  requests = 1,
  siblings: Siblings = 'all',
): void {
  const forks = forkRequests(sim);
  expect(forks.size, sim.report()).toBe(count);
  const before = comparable(parent);
  const shared = new Set<string>();
  for (const [directive, own] of forks) {
    const [first] = own;
    if (first === undefined) throw new Error('a fork without a request');
    expect(own.length).toBeGreaterThanOrEqual(requests);
    expect(comparable(first).startsWith(before), firstDifference(comparable(first), before)).toBe(true);
    expect(first.body.max_tokens).toBe(parent.body.max_tokens);
    expect(headersOf(first)).toEqual(headersOf(parent));
    expect(countMarkers(first)).toBeLessThanOrEqual(siblings === 'own' ? 3 : 4);
    if (siblings === 'own') expect(directivesIn(first)).toEqual([directive]);
    shared.add(comparable(first).slice(0, comparable(first).lastIndexOf(TAG)));
    own.slice(1).forEach((request, index) => {
      expect(comparable(request).startsWith(comparable(own[index] as SimRequest))).toBe(true);
    });
  }
  if (siblings === 'all') expect(shared.size).toBe(1);
}

/** Whose directives can be read in a body, each once. */
function directivesIn(request: SimRequest): string[] {
  return [...new Set(comparable(request).match(/DIRECTIVE \w+/g))];
}

/** What a fork of a call adds: the reply that asks for it, a placeholder per call in order, one directive. */
export function expectSuffix(parent: SimRequest, first: SimRequest, siblings: Siblings = 'all'): void {
  const added = messagesOf(first).slice(messagesOf(parent).length);
  expect(added.map(({ role }) => role)).toEqual(['assistant', 'user']);
  const [reply, opening] = added;
  const calls = reply?.content.filter((block) => block.type === 'tool_use').map(({ id }) => id);
  const after = reply?.content.slice(reply.content.findIndex(({ type }) => type === 'tool_use') + 1);
  if (siblings === 'own') expect(after).toEqual([]);
  const results = opening?.content.filter((block) => block.type === 'tool_result') ?? [];
  expect(results.map((block) => block.tool_use_id)).toEqual(calls);
  expect(results.map((block) => block.content)).toEqual(results.map(() => PLACEHOLDER));
  expect(opening?.content.slice(results.length).map(({ type }) => type)).toEqual(['text']);
  expect(opening?.content.at(-1)?.text?.startsWith(TAG)).toBe(true);
}

/** What is cached by the body must also be asked for in the same way. */
function headersOf({ headers }: SimRequest) {
  return [headers['anthropic-version'], headers['anthropic-beta']];
}

function firstDifference(a: string, b: string): string {
  let at = 0;
  while (at < b.length && a[at] === b[at]) at += 1;
  return `they part at ${at} of ${b.length}: ${JSON.stringify(a.slice(at - 30, at + 60))} and ${JSON.stringify(b.slice(at - 30, at + 60))}`;
}

export function cachedBy({ usage }: SimRequest): number {
  return (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
}

export function readBy({ usage }: SimRequest): number {
  return usage?.cache_read_input_tokens ?? 0;
}

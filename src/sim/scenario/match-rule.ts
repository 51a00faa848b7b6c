/** Matches a rule's condition against a request. Returns the captures of its patterns. */

import type { SeenRequest, SeenResult } from '../server/seen-request.js';
import type { Pattern, ResultPattern, When } from './scenario.js';

/** Named groups, which replies can use. */
export type Captures = Readonly<Record<string, string>>;

export function matchWhen(when: When | undefined, request: SeenRequest): Captures | undefined {
  if (!when) return {};
  const tests: readonly (Captures | undefined)[] = [
    optional(when.user, (pattern) => matchText(pattern, request.user)),
    optional(when.said, (pattern) => firstMatch(request.said, (text) => matchText(pattern, text))),
    optional(when.result, (pattern) => firstMatch(request.results, (result) => matchResult(pattern, result))),
    optional(when.system, (pattern) => matchText(pattern, request.system)),
    optional(when.model, (pattern) => matchText(pattern, request.model)),
    holds(when.nth === undefined || when.nth === request.nth),
    holds(when.tool === undefined || request.tools.includes(when.tool)),
    holds(when.not === undefined || matchWhen(when.not, request) === undefined),
    holds(when.where?.(request) ?? true),
  ];
  return tests.every((captures) => captures !== undefined) ? Object.assign({}, ...tests) : undefined;
}

function optional<T>(condition: T | undefined, test: (condition: T) => Captures | undefined): Captures | undefined {
  return condition === undefined ? {} : test(condition);
}

function holds(condition: boolean): Captures | undefined {
  return condition ? {} : undefined;
}

function firstMatch<T>(items: readonly T[], test: (item: T) => Captures | undefined): Captures | undefined {
  for (const item of items) {
    const captures = test(item);
    if (captures) return captures;
  }
  return undefined;
}

function matchResult(pattern: Pattern | ResultPattern, result: SeenResult): Captures | undefined {
  if (!isResultPattern(pattern)) return matchText(pattern, result.text);
  if (pattern.tool !== undefined && pattern.tool !== result.tool) return undefined;
  if (pattern.error !== undefined && pattern.error !== result.error) return undefined;
  return pattern.text === undefined ? {} : matchText(pattern.text, result.text);
}

function isResultPattern(pattern: Pattern | ResultPattern): pattern is ResultPattern {
  return typeof pattern === 'object' && !(pattern instanceof RegExp) && !('matches' in pattern);
}

function matchText(pattern: Pattern, text: string): Captures | undefined {
  if (typeof pattern === 'string') return text.includes(pattern) ? {} : undefined;
  const source = pattern instanceof RegExp ? pattern.source : pattern.matches;
  // A new RegExp without the flag g, which would store its position between calls.
  const found = new RegExp(source, pattern.flags?.replace('g', '')).exec(text);
  return found ? { ...found.groups } : undefined;
}

/** Describes a condition, for messages. */
export function describeWhen(when: When | undefined): string {
  if (!when || Object.keys(when).length === 0 || when.any) return 'any request';
  return Object.entries(when)
    .filter(([, condition]) => condition !== undefined)
    .map(([name, condition]) => describeCondition(name, condition))
    .join(', ');
}

function describeCondition(name: string, condition: unknown): string {
  if (typeof condition === 'function') return `${name} (a function)`;
  if (condition instanceof RegExp) return `${name} ${condition}`;
  if (name === 'not') return `not (${describeWhen(condition as When)})`;
  if (typeof condition === 'object' && condition !== null) {
    if ('matches' in condition) return `${name} /${String(condition.matches)}/`;
    const parts = Object.entries(condition).map(([key, value]) => describeCondition(key, value));
    return `${name} { ${parts.join(', ')} }`;
  }
  return `${name} ${JSON.stringify(condition)}`;
}

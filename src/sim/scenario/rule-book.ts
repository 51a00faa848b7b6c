/** The rules of a running scenario: which one replies, how often each was used, and why none matched. */

import type { SeenRequest } from '../server/seen-request.js';
import { type Captures, describeWhen, matchWhen } from './match-rule.js';
import type { Fault, Rule, Scenario } from './scenario.js';

export interface RuleBook {
  /** Finds the rule for a request and counts its use. */
  take(request: SeenRequest): TakenRule | undefined;
  /** Explains why no rule matched: the request, and every rule. */
  explain(request: SeenRequest): string;
}

export type TakenRule = {
  readonly rule: Rule;
  readonly label: string;
  /** The captures of the patterns, plus `user` (the last user text) and `result` (the last tool result). */
  readonly captures: Captures;
  /** The fault for this use, if any. */
  readonly fault: Fault | undefined;
};

const SHOWN = 160;

export function ruleBook(scenario: Scenario): RuleBook {
  const uses = scenario.rules.map(() => 0);
  const left = (index: number) => (scenario.rules[index]?.times ?? Number.POSITIVE_INFINITY) - (uses[index] ?? 0);
  return {
    take(request) {
      for (const [index, rule] of scenario.rules.entries()) {
        const matched = left(index) > 0 ? matchWhen(rule.when, request) : undefined;
        if (!matched) continue;
        const captures = { user: request.user, result: request.results.at(-1)?.text ?? '', ...matched };
        const use = (uses[index] ?? 0) + 1;
        uses[index] = use;
        return { rule, label: labelOf(rule, index), captures, fault: faultOf(rule, use) };
      }
      return undefined;
    },
    explain(request) {
      const rules = scenario.rules.map(
        (rule, index) => `  ${labelOf(rule, index)}${left(index) > 0 ? '' : ` [used up: ${uses[index]}]`}`,
      );
      return [
        `No rule of ${scenario.name ? `the scenario "${scenario.name}"` : 'this scenario'} matches this request.`,
        'The request:',
        ...describeRequest(request).map((line) => `  ${line}`),
        rules.length > 0 ? 'The rules:' : 'There are no rules.',
        ...rules,
      ].join('\n');
    },
  };
}

function labelOf(rule: Rule, index: number): string {
  return `${index + 1}. ${rule.name ?? describeWhen(rule.when)}`;
}

function faultOf(rule: Rule, use: number): Fault | undefined {
  const fault: Fault | undefined = typeof rule.fault === 'string' ? { kind: rule.fault } : rule.fault;
  return fault && use <= (fault.times ?? Number.POSITIVE_INFINITY) ? fault : undefined;
}

function describeRequest(request: SeenRequest): readonly string[] {
  return [
    `model: ${request.model}, request ${request.nth} of its conversation`,
    `user: ${request.user === '' ? '(no text in the last turn)' : showUserText(request.user)}`,
    ...request.results.map(
      (result) => `result: ${result.tool || '?'}${result.error ? ' (error)' : ''} ${shorten(result.text)}`,
    ),
    `said first: ${showUserText(request.said[0] ?? '')}`,
    `system: ${shorten(request.system)}`,
  ];
}

/** Reminders around the user's text are long and the same in every request, so the text is shown first. */
function showUserText(text: string): string {
  const own = text.replaceAll(REMINDER, '').trim();
  if (own === '') return shorten(text);
  const left = text.match(REMINDER)?.length ?? 0;
  return left === 0 ? shorten(text) : `${shorten(own)} (and ${left} reminder${left === 1 ? '' : 's'})`;
}

const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g;

function shorten(text: string): string {
  const line = JSON.stringify(text);
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}… (${text.length} characters)` : line;
}

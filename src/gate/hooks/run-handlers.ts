/** Runs the matching hooks of an event in parallel and combines their answers. Loaded with the first hook. */

import { hookMark, markedSession, markProcesses } from '../../host/process-mark.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { toolNames } from '../../protocol/tools/built-in-tools.js';
import { combine, type HookVerdict, NO_VERDICT } from './combine.js';
import { describeHandler, type Handler, identityOf } from './hook-config.js';
import { EVENT_TRAITS, type HookEvent, type HookEventFields, subjectOf } from './hook-events.js';
import type { HookSetup } from './hooks-options.js';
import { inputText } from './input.js';
import { matchNames } from './match.js';
import { runHook } from './run-handler.js';

export type RunOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Names that matchers are compared with, if not only the event's own field: a tool's name with its aliases. */
  readonly subject?: string | readonly string[];
};

export async function runHandlers<E extends HookEvent>(
  settings: HookSetup,
  candidates: readonly Handler[],
  event: E,
  fields: HookEventFields[E],
  options: RunOptions,
): Promise<HookVerdict> {
  const names = namesOf(options.subject ?? subjectOf(event, fields));
  if (candidates.some(({ condition }) => condition !== undefined)) await settings.loadRules?.();
  const matching = candidates.filter(
    (handler) =>
      !settings.hasRun(handler) &&
      appliesTo(settings, handler, names) &&
      meetsCondition(settings, handler, fields, names),
  );
  if (matching.length === 0) return NO_VERDICT;
  const base = settings.base();
  const input = inputText(event, base, fields);
  const of = 'tool_use_id' in fields ? String(fields.tool_use_id) : event;
  const cause = { agent: base.agent_id ?? MAIN_AGENT, of };
  const mark = hookMark(markedSession(base.transcript_path), cause.agent, of);
  const host = markProcesses(settings.host, mark);
  const asked = { ...settings, host, cause, signal: options.signal, about: names[0] };
  const answers = await Promise.all(withoutDuplicates(matching).map((handler) => runHook(asked, handler, input)));
  return combine(event, answers);
}

function namesOf(subject: string | readonly string[] | undefined): readonly string[] {
  const names = typeof subject === 'string' ? [subject] : (subject ?? []);
  return [...new Set([...names, ...names.flatMap(toolNames)])];
}

function appliesTo({ warn, warned }: HookSetup, handler: Handler, names: readonly string[]): boolean {
  const match = matchNames(handler.matcher, names);
  if (match !== 'no answer') return match === 'yes';
  // A guard with an unusable matcher runs for everything; any other hook does not run.
  const { guards } = EVENT_TRAITS[handler.event];
  const hook = describeHandler(handler);
  if (handler.matcher.kind === 'expression' && !warned.has(hook)) {
    warned.add(hook);
    const effect = guards ? 'runs where it took too long' : 'does not run where it took too long';
    warn(`${hook}: the matcher ${JSON.stringify(handler.matcher.source)} was too slow; the hook ${effect}.`);
  }
  return guards;
}

/** Tests each name of the tool: the declared name of an MCP tool may be shortened. */
function meetsCondition(
  { matchesRule, worktree }: HookSetup,
  { condition }: Handler,
  fields: object,
  names: readonly string[],
): boolean {
  if (condition === undefined || matchesRule === undefined) return true;
  const { tool_name, tool_input } = fields as { readonly tool_name: string; readonly tool_input: unknown };
  const known = new Set([tool_name, ...names]);
  return [...known].some((name) => matchesRule(condition, name, tool_input, worktree?.folder));
}

/** Of identical hooks (commands run in the same folder), the first runs. */
function withoutDuplicates(handlers: readonly Handler[]): readonly Handler[] {
  const seen = new Set<unknown>();
  return handlers.filter((handler) => {
    const identity = identityOf(handler);
    return !seen.has(identity) && seen.add(identity);
  });
}

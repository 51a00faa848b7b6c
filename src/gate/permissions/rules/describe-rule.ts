/** Describes what an allow rule means beyond its words, for people who read a list of rules (GT-35). */

import { findProgram } from '../programs/find-program.js';
import { programName } from '../shell/restrictions/wrappers.js';
import { parseRule } from './rule.js';

/** Subcommands that take any program, package or script. */
const RUNNING_SUBCOMMAND = /^(?:run|run-script|exec|x|dlx|start|create|compose|-.*)$/;

/** `rule`: the text of an allow rule. Undefined if it says no more than its words. */
export function describeRule(rule: string): string | undefined {
  const words = openWords(rule);
  if (words === undefined) return undefined;
  const [first, second] = words;
  if (first === undefined) return ANY_PROGRAM;
  const name = programName(first);
  if (second !== undefined && !RUNNING_SUBCOMMAND.test(second)) return undefined;
  const row = findProgram(name);
  const effects = [...(row?.runs ? [ANY_PROGRAM] : []), ...(row?.sends ? ['can send any file'] : [])];
  return effects.length === 0 ? undefined : effects.join(', ');
}

const ANY_PROGRAM = 'lets any program run';

/** True if the rule covers more than in versions that judged each option and each program behind it. */
export function meansMore(rule: string): boolean {
  const words = openWords(rule);
  const name = words?.[0];
  return name !== undefined && (programName(name) === 'git' || describeRule(rule)?.startsWith(ANY_PROGRAM) === true);
}

/** The words of a rule about commands that any others may follow; empty: every command. */
function openWords(text: string): readonly string[] | undefined {
  const { rule } = parseRule(text, 'allow', { source: '', base: '/' });
  if (rule?.tool !== 'Bash') return undefined;
  if (rule.matches.kind === 'every') return [];
  if (rule.matches.kind !== 'command' || rule.matches.pattern.form !== 'prefix') return undefined;
  return rule.matches.pattern.words;
}

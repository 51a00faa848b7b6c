/** Which calls need the sandbox prepared before they are decided, and what rules say about the files in it. */

import type { Judgement } from './gated-call.js';
import type { PathPattern } from './permissions/rules/path-pattern.js';
import type { Rule } from './permissions/rules/rule.js';

/** Files to ask about are hidden or kept unchanged too: the command can be repeated outside, with a prompt. */
export function patternsOf(rules: readonly Rule[], of: 'Read' | 'Edit'): readonly PathPattern[] {
  return rules.flatMap(({ behavior, tool, matches }) =>
    behavior !== 'allow' && tool === of && matches.kind === 'path' ? [matches.pattern] : [],
  );
}

/** The profile for which the sandbox is prepared; undefined if the call needs none. */
export function confinedAs({ decision }: Judgement): 'reading' | 'working' | 'ruled' | undefined {
  const kind = decision.behavior === 'allow' ? decision.run?.kind : undefined;
  return kind === 'proven' ? undefined : kind;
}

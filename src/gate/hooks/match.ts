/** Matchers select the names a hook applies to. Regular expressions run under a time limit, so none can stall the loop. */

import { createContext, Script } from 'node:vm';
import { reasonOf } from '../../protocol/reason-of.js';

export type Matcher =
  | { readonly kind: 'all' }
  | { readonly kind: 'names'; readonly names: ReadonlySet<string> }
  | { readonly kind: 'expression'; readonly source: string; readonly seen: Map<string, boolean | 'too slow'> }
  | { readonly kind: 'unusable'; readonly problem: string };

/** `no answer`: the matcher can't be used; the event decides whether the hook runs. */
type Match = 'yes' | 'no' | 'no answer';

/** Compiling a long expression can't be interrupted; 1,000 characters compile in well under a millisecond. */
const LONGEST_EXPRESSION = 1_000;
const MATCH_LIMIT_MS = 250;
const REMEMBERED = 1_000;

const PLAIN = /^[\p{L}\p{N}_\s,|:-]+$/u;
/** `Bash(git *)`: a permission rule instead of a name. As a regular expression it would silently never match. */
const LOOKS_LIKE_RULE = /^\w+\((?=.*(?:[\s/~]|[^?]:)).*\)$/;

export function readMatcher(text: string | undefined): Matcher {
  const written = text?.trim() ?? '';
  if (written === '' || written === '*') return { kind: 'all' };
  if (PLAIN.test(written)) return { kind: 'names', names: new Set(listedNames(written)) };
  if (written.length > LONGEST_EXPRESSION) {
    return { kind: 'unusable', problem: `is longer than ${LONGEST_EXPRESSION} characters` };
  }
  if (LOOKS_LIKE_RULE.test(written)) {
    return {
      kind: 'unusable',
      problem: 'looks like a permission rule; a matcher takes the name only (a rule goes in `if`)',
    };
  }
  try {
    new RegExp(written);
  } catch (error) {
    return { kind: 'unusable', problem: reasonOf(error) };
  }
  return { kind: 'expression', source: written, seen: new Map() };
}

function listedNames(written: string): string[] {
  return written
    .split(/[|,]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** True if it is about the tools that edit files, and not about Bash. */
export function matchesOnlyEdits(matcher: Matcher): boolean {
  return (
    matchNames(matcher, ['Edit', 'Write', 'MultiEdit', 'NotebookEdit']) !== 'no' &&
    matchNames(matcher, ['Bash']) === 'no'
  );
}

/** Matches any of the names: a tool has a name and aliases. */
export function matchNames(matcher: Matcher, names: readonly string[]): Match {
  switch (matcher.kind) {
    case 'all':
      return 'yes';
    case 'names':
      return names.some((name) => isNamed(matcher.names, name)) ? 'yes' : 'no';
    case 'expression':
      return matchExpression(matcher, names);
    case 'unusable':
      return 'no answer';
    default:
      return matcher satisfies never;
  }
}

/** `mcp__server` matches every tool of that server, as in permission rules. */
function isNamed(names: ReadonlySet<string>, name: string): boolean {
  if (names.has(name)) return true;
  if (!name.startsWith('mcp__')) return false;
  return [...names].some((listed) => listed.startsWith('mcp__') && name.startsWith(`${listed}__`));
}

function matchExpression(matcher: Matcher & { kind: 'expression' }, names: readonly string[]): Match {
  let match: Match = 'no';
  for (const name of names) {
    const found = cachedTest(matcher, name);
    if (found === true) return 'yes';
    if (found === 'too slow') match = 'no answer';
  }
  return match;
}

/** Caches results, because the same few names recur. A name that was too slow is not tried again. */
function cachedTest({ source, seen }: Matcher & { kind: 'expression' }, name: string): boolean | 'too slow' {
  const known = seen.get(name);
  if (known !== undefined) return known;
  if (seen.size >= REMEMBERED) seen.clear();
  const found = testWithinLimit(source, name);
  seen.set(name, found);
  return found;
}

// Unanchored, as existing settings expect: `^Notebook` matches every name that begins with it.
const SEARCH = new Script('new RegExp(source).test(name)');
let context: Record<string, string> | undefined;

function testWithinLimit(source: string, name: string): boolean | 'too slow' {
  context ??= createContext(Object.create(null)) as Record<string, string>;
  context.source = source;
  context.name = name;
  try {
    return SEARCH.runInContext(context, { timeout: MATCH_LIMIT_MS }) === true;
  } catch {
    return 'too slow';
  }
}

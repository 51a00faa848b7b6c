/**
 * The rules of a project for an agent in one of its worktrees. A path in the checkout is mapped to the worktree: deny rules
 * apply to both, allow rules only to the worktree.
 */

import { normalize } from 'node:path';
import { inWorktree } from '../paths/own-worktree.js';
import { isWithin } from '../paths/resolve-path.js';
import { readPathPattern } from './path-pattern.js';
import type { Rule } from './rule.js';

type Moved = { /** The worktree's top. */ readonly path: string /** The checkout's. */; readonly from: string };

export function rulesInWorktree(rules: readonly Rule[], moved: Moved, home: string): readonly Rule[] {
  return rules.flatMap((rule) => {
    const bound = moveBound(rule, moved);
    const pattern = movePattern(rule, moved, home);
    if (pattern === undefined) return [bound];
    // Reading the checkout can be allowed; changing it can't (WT-4).
    const keepsOld = rule.behavior !== 'allow' || rule.tool === 'Read';
    return keepsOld ? [bound, pattern] : [pattern];
  });
}

function moveBound(rule: Rule, moved: Moved): Rule {
  const { bound } = rule.origin;
  if (bound === undefined || !isMoved(bound.folder, moved)) return rule;
  return { ...rule, origin: { ...rule.origin, bound: { ...bound, folder: inWorktree(moved, bound.folder) } } };
}

/** Undefined for a rule without a path, or with a path that is not fixed in the checkout. */
function movePattern(rule: Rule, moved: Moved, home: string): Rule | undefined {
  if (rule.matches.kind !== 'path') return undefined;
  const { written } = rule.matches.pattern;
  const { base } = rule.origin;
  if (written.startsWith('/') && !written.startsWith('//')) {
    return isMoved(base, moved) ? withPattern(rule, written, inWorktree(moved, base)) : undefined;
  }
  const whole = written.startsWith('//')
    ? normalize(written.slice(1))
    : /^~\//.test(written)
      ? normalize(home + written.slice(1))
      : undefined;
  if (whole === undefined || !whole.startsWith(`${moved.from}/`)) return undefined;
  return withPattern(rule, `/${moved.path}${whole.slice(moved.from.length)}`, base);
}

function withPattern(rule: Rule, written: string, base: string): Rule | undefined {
  const pattern = readPathPattern(written, rule.behavior, base);
  return 'warning' in pattern ? undefined : { ...rule, matches: { kind: 'path', pattern } };
}

/** True if it is in the checkout, but not in a worktree inside it. */
function isMoved(folder: string, { path, from }: Moved): boolean {
  return isWithin(folder, from) && !isWithin(folder, path);
}

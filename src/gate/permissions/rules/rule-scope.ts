/** The scope of a rule: "always" is bound to the root it was chosen in, a project's command rules to the project (GT-29). */

import { dirname, join } from 'node:path';
import type { SyncFiles } from '../../../host/files.js';
import type { RuleBehavior } from '../../../protocol/permission.js';
import { realPath } from '../paths/real-path.js';
import { isWithin } from '../paths/resolve-path.js';

export type RuleBound =
  /** Applies while this is the shell's innermost root. */
  | { readonly kind: 'root'; readonly folder: string }
  /** Applies anywhere in this project, but not in a repository nested in it. */
  | { readonly kind: 'project'; readonly folder: string };

/** The location of a shell, with links resolved. */
export type RuleScope = {
  readonly folder: string;
  /** The innermost root around it. A repository nested in a root (a linked worktree, a clone) is its own root. */
  readonly root: string | undefined;
  /** The innermost folder around it with a `.git`. */
  readonly repository: string | undefined;
};

/** Undefined if the folder no longer exists. */
export function ruleScopeOf(cwd: string, roots: readonly string[], files: SyncFiles): RuleScope | undefined {
  const folder = realPath(cwd, files);
  if (folder === undefined) return undefined;
  const repository = findRepository(folder, files);
  const around = roots.filter((root) => isWithin(folder, root));
  const root = around.reduce<string | undefined>(
    (inner, one) => (one.length > (inner?.length ?? 0) ? one : inner),
    undefined,
  );
  const nested = root !== undefined && repository !== undefined && isWithin(repository, root);
  return { folder, root: nested ? repository : root, repository };
}

export function appliesIn(bound: RuleBound, scope: RuleScope | undefined): boolean {
  if (scope === undefined) return false;
  if (bound.kind === 'root') return scope.root === bound.folder;
  const isNested = scope.repository !== undefined && !isWithin(bound.folder, scope.repository);
  return isWithin(scope.folder, bound.folder) && !isNested;
}

type Bounded = { readonly behavior: RuleBehavior; readonly origin: { readonly bound?: RuleBound } };

/** The rules that apply in every one of these folders. Deny and ask rules apply everywhere. */
export function rulesIn<R extends Bounded>(
  rules: readonly R[],
  cwds: readonly string[],
  at: { readonly roots: readonly string[]; readonly files: SyncFiles },
): readonly R[] {
  if (!rules.some(isBound)) return rules;
  const scopes = cwds.map((cwd) => ruleScopeOf(cwd, at.roots, at.files));
  return rules.filter(
    (rule) => !isBound(rule) || scopes.every((scope) => rule.origin.bound && appliesIn(rule.origin.bound, scope)),
  );
}

function isBound({ behavior, origin }: Bounded): boolean {
  return behavior === 'allow' && origin.bound !== undefined;
}

function findRepository(folder: string, files: SyncFiles): string | undefined {
  for (let here = folder; ; here = dirname(here)) {
    if (hasGit(here, files)) return here;
    if (dirname(here) === here) return undefined;
  }
}

/** A folder that can't be checked is treated as a repository, so that a rule applies in fewer places, never in more. */
function hasGit(folder: string, files: SyncFiles): boolean {
  try {
    return files.lstat(join(folder, '.git')) !== undefined;
  } catch {
    return true;
  }
}

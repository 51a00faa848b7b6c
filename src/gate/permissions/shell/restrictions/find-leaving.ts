/**
 * Checks whether a command line visibly leaves the agent's worktree for the checkout it was created from, other than to
 * read it (WT-4). For lines that a rule about every command would allow: such a rule can't know about the worktree.
 */

import { describeLeaving, leavesWorktree } from '../../paths/own-worktree.js';
import type { Resolver } from '../../paths/resolver.js';
import type { Policy, WorktreePolicy } from '../../policy.js';
import { examineProgram } from '../examine-program.js';
import type { ShellCommand, ShellReading } from '../reading/shell-reading.js';

type Input = {
  readonly reading: ShellReading;
  readonly cwds: readonly string[];
  readonly policy: Policy;
  readonly resolver: Resolver;
};

/** Variables that redirect git to another work tree, index or set of branches. */
const GIT_ELSEWHERE = /^(?:GIT_DIR|GIT_WORK_TREE|GIT_INDEX_FILE|GIT_COMMON_DIR|GIT_OBJECT_DIRECTORY|GIT_NAMESPACE)$/;

export function findLeaving({ reading, cwds, policy, resolver }: Input): string | undefined {
  const { worktree } = policy;
  if (worktree === undefined) return undefined;
  const changing = reading.commands.filter((command) => !onlyReads(command));
  if (changing.length === 0 && reading.parsed) return undefined;
  const leads = (path: string) => {
    const found = cwds.map((cwd) => resolver.resolve(path, cwd).real).find((real) => leavesWorktree(worktree, real));
    return found === undefined ? undefined : describeLeaving(worktree, found);
  };
  const gone = leads('.');
  if (gone !== undefined) return gone;
  for (const command of changing) {
    const variable = variablesOf(command).find((name) => GIT_ELSEWHERE.test(name));
    if (variable !== undefined) return `${variable} leads git out of this worktree`;
    for (const path of pathsIn(command)) {
      const reason = leads(path);
      if (reason !== undefined) return reason;
    }
  }
  return findInText(reading.text, worktree) ?? CLIMBS.exec(reading.text)?.map(leads).find(Boolean);
}

const CLIMBS = /(?:\.\.\/){2,}\.\.(?:\/[\w./-]*)?/;

function onlyReads({ words, redirects }: ShellCommand): boolean {
  if (redirects.some(({ kind }) => kind === 'write' || kind === 'append')) return false;
  if (words.length === 0) return true;
  const { reads, problems } = examineProgram(
    words.map((word) => word.value ?? ''),
    false,
  );
  return reads && problems.length === 0;
}

function variablesOf({ assignments, words }: ShellCommand): readonly string[] {
  const given = words.flatMap(({ value }) => /^(\w+)=/.exec(value ?? '')?.[1] ?? []);
  return [...assignments.map(({ name }) => name), ...given];
}

/** Every word that may be a path, and the value after the `=` of an option or a variable. */
function pathsIn({ words, assignments, redirects }: ShellCommand): readonly string[] {
  const values = [
    ...words.slice(1).map(({ value }) => value),
    ...assignments.map(({ value }) => value),
    ...redirects.flatMap((redirect) => ('target' in redirect ? [redirect.target.value] : [])),
  ].filter((value) => value !== undefined && value !== '');
  return values.flatMap((value) => [value as string, ...(/^[\w-]+=(.+)$/.exec(value as string)?.slice(1) ?? [])]);
}

/** In a text for another program (`bash -c "…"`), the checkout's path is enough. */
function findInText(text: string, worktree: WorktreePolicy): string | undefined {
  const rest = text.replaceAll(worktree.path, '');
  const at = rest.indexOf(worktree.from);
  const next = rest[at + worktree.from.length] ?? '';
  return at >= 0 && !/[\w.-]/.test(next) ? describeLeaving(worktree, worktree.from) : undefined;
}

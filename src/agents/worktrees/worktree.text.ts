/** The texts for an agent about the worktree it works in. */

import { reminder } from '../../protocol/tags.js';
import type { MadeWorktree, Uncommitted } from './session-worktrees.js';

type Told = Pick<MadeWorktree, 'worktree' | 'uncommitted' | 'notes'> & { readonly folder: string };

/** For a fork, after its directive: the conversation before it is about another folder. */
export function forkNotice({ worktree, folder, uncommitted, notes }: Told): string {
  const { path, branch, from, sparse } = worktree;
  return reminder(
    [
      '# Your own worktree',
      `What the conversation above says about files is about ${from}. You work in a worktree of your own: its root is ${path}${folder === path ? '' : `, your working folder ${folder}`}${branch === '' ? '' : `, on branch ${branch}`}.`,
      `- Translate paths: ${from}/x above is ${path}/x here. Don't use paths under ${from} that are not under ${path}.`,
      '- Read a file here before you edit it. What was read above does not count, and may differ.',
      "- Your edits here don't touch your parent's files, and theirs don't reach you.",
      `- ${UNCOMMITTED[uncommitted]}`,
      ...commitLine(branch),
      ...sparseLine(sparse),
      ...notes.map((note) => `- ${note}`),
    ].join('\n'),
  );
}

/** For a named child, in its opening. */
export function namedNotice({ worktree, uncommitted, notes }: Told): string {
  const { branch, from, sparse } = worktree;
  return [
    '# Your own worktree',
    `Your working folder belongs to a worktree that was made for this task. Edits here don't touch the files in ${from}; paths under it that your task names are here under ${worktree.path}.`,
    `- ${UNCOMMITTED[uncommitted]}`,
    ...commitLine(branch),
    ...sparseLine(sparse),
    ...notes.map((note) => `- ${note}`),
  ].join('\n');
}

const UNCOMMITTED: Readonly<Record<Uncommitted, string>> = {
  taken:
    "Your parent's uncommitted changes are here, as they were when you were started, in the first commit of your branch. Files that git ignores are not.",
  none: 'Your parent had no uncommitted changes when you were started. Files that git ignores are not here.',
  left: "Your parent's uncommitted changes and untracked files are not here: you see what was committed last.",
  unknown: "A program of the person made this folder: look at what is here, and what of your parent's changes.",
};

function commitLine(branch: string): string[] {
  return branch === '' ? [] : [`- If you changed files, commit them on the branch you are on (${branch}).`];
}

function sparseLine(sparse: readonly string[] | undefined): string[] {
  return sparse === undefined || sparse.length === 0
    ? []
    : [`- Only these paths are checked out: ${sparse.join(', ')}. Others are in the repository, not in the folder.`];
}

/** For a resumed agent whose worktree is gone. */
export function goneNotice(worktree: { readonly path: string; readonly branch: string }, folder: string): string {
  const branch =
    worktree.branch === '' ? '' : ` If you had committed there, branch ${worktree.branch} may still hold it.`;
  return reminder(
    `The worktree you worked in, ${worktree.path}, is no longer there. From now on you work in ${folder}, which is not yours alone: your parent and others may work there too. Look at what is there, use paths under ${folder}, and read again before you edit.${branch}`,
  );
}

/** For an agent whose folder has changed. */
export function movedNotice(before: string, now: string): string {
  return reminder(
    `Your worktree was moved from ${before} to ${now} while you were away. Use paths under ${now} from now on.`,
  );
}

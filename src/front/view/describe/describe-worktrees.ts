/** Worktrees, and the results of applying and removing them, as lines. Names and contents come from agents: made inert. */

import type { ListedWorktrees, Named, RemovedWorktree } from '../../../features/worktrees/repository-worktrees.js';
import { stripToLine } from '../../../gate/permissions/strip-controls.js';
import type { Applied, Change, Conflict } from '../../../host/worktrees/apply-worktree.js';
import type { WorktreeView } from '../../../host/worktrees/list-worktrees.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { age, plural } from '../../../protocol/format-numbers.js';

export function describeWorktrees(listed: ListedWorktrees): readonly string[] {
  if (!listed.ok) return [sentence(listed.reason)];
  const lines = listed.worktrees.flatMap((worktree) => describeWorktree(worktree, listed.at));
  const problems = listed.problems.map((problem) => `! ${escapeToLine(problem)}`);
  return [...(lines.length === 0 ? ['No worktrees of agents or sessions here.'] : lines), ...problems];
}

function describeWorktree(worktree: WorktreeView, now: number): readonly string[] {
  const { name, state, branch, commits, changedFiles, owner, created, path, notes } = worktree;
  const of = owner.agent === undefined ? `session ${owner.session}` : `agent ${owner.agent}`;
  const made = age(now - Date.parse(created));
  const facts = [`branch ${branch}`, plural(commits, 'commit'), `${plural(changedFiles, 'file')} changed`, of, made];
  return [
    escapeToLine(`${name}  ${STATES[state]}  ${facts.join(', ')}`),
    `    ${escapeToLine(path)}`,
    ...notes.map((note) => `    ${escapeToLine(note)}`),
  ];
}

const STATES: Readonly<Record<WorktreeView['state'], string>> = {
  'in-use': 'in use',
  kept: 'kept',
  gone: 'folder missing',
  'half-made': 'incomplete',
  moved: 'moved',
};

const MOST_CHANGES = 30;
const MOST_CONFLICTS = 20;

export function describeApplied(applied: Named<Applied>): readonly string[] {
  if (!applied.ok) {
    const { conflicts = [], reason } = applied;
    const more = conflicts.length - MOST_CONFLICTS;
    return [
      ...sentence(`nothing was applied: ${reason}`).split('\n'),
      ...conflicts.slice(0, MOST_CONFLICTS).flatMap(describeConflict),
      ...(more > 0 ? [`  … ${plural(more, 'file')} more`] : []),
    ];
  }
  const { changed, notes, backup, name = '' } = applied;
  const shown = changed.slice(0, MOST_CHANGES).map(({ path, how }) => `  ${how.padEnd(7)}  ${escapeToLine(path)}`);
  const left = changed.length - shown.length;
  return [
    changed.length === 0
      ? `Nothing to apply: everything from ${name} is already here.`
      : `Applied ${name}: ${plural(changed.length, 'file')}, unstaged.`,
    ...shown,
    ...(left > 0 ? [`  … ${plural(left, 'file')} more`] : []),
    ...notes.map(escapeToLine),
    ...(backup === undefined ? [] : describeBackup(backup, changed)),
  ];
}

function describeConflict({ path, why, hunks }: Conflict): readonly string[] {
  const lines = hunks.flatMap((hunk) => hunk.split('\n').map((line) => `      ${stripToLine(line)}`));
  return [`  ${escapeToLine(path)}`, `    ${escapeToLine(why)}`, ...lines];
}

const MOST_PATHS = 10;

/** The command to undo, ready to copy. */
function describeBackup(backup: string, changed: readonly Change[]): readonly string[] {
  const before = changed.filter(({ how }) => how !== 'added').map(({ path }) => pathspec(path));
  const isNew = changed.length > before.length;
  const paths = before.length <= MOST_PATHS ? before.join(' ') : 'PATHS';
  const restore = before.length === 0 ? '' : `git restore --source=${backup} -- ${paths}`;
  const remove = isNew ? 'delete the added files' : '';
  return [`The previous state is saved as ${backup}. To undo: ${[restore, remove].filter(Boolean).join(' ; then ')}`];
}

function pathspec(path: string): string {
  if (/^[\w./@+-]+$/.test(path)) return `:/${path}`;
  return `'${escapeToLine(`:(top,literal)${path}`).replaceAll("'", `'\\''`)}'`;
}

export function describeRemoved(removed: Named<RemovedWorktree>): readonly string[] {
  const { name = '' } = removed;
  if (removed.ok) return [`Removed worktree ${name}.`, ...removed.notes.map((note) => `  ${escapeToLine(note)}`)];
  const reasons = removed.reasons ?? [];
  return [
    sentence(reasons.length === 0 ? removed.reason : `${removed.reason}:`),
    ...reasons.map((reason) => `  ${escapeToLine(reason)}`),
  ];
}

/** Capitalises a reason, which is part of a sentence otherwise. */
function sentence(reason: string): string {
  const lines = reason.split('\n').map(escapeToLine).join('\n');
  return lines.slice(0, 1).toUpperCase() + lines.slice(1);
}

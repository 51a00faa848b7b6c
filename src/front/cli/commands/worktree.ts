/** `coppice worktree`: lists the worktrees of a repository, shows or applies the changes in one, or removes it. */

import { openFolderWorktrees } from '../../../engine/open/folder-worktrees.js';
import {
  applyHere,
  diffHere,
  listHere,
  removeHere,
  type WorktreesScope,
} from '../../../features/worktrees/repository-worktrees.js';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { describeApplied, describeRemoved, describeWorktrees } from '../../view/describe/describe-worktrees.js';
import { EXIT } from '../exit-code.js';
import { explainOpenFailure } from '../explain-open-failure.js';

type JsonFlag = { readonly json?: boolean };

export function runWorktreeList({ json = false }: JsonFlag): Promise<number> {
  return inFolder(async (place) => {
    const listed = await listHere(place);
    if (!listed.ok) return wrong(listed.reason);
    if (json) return print([JSON.stringify(listed.worktrees, null, 2)], listed.problems);
    return print(describeWorktrees(listed));
  });
}

export type DiffFlags = JsonFlag & { readonly stat?: boolean };

/** Verbatim to a pipe, for `git apply`; without control characters to a terminal. */
export function runWorktreeDiff(name: string, { json = false, stat = false }: DiffFlags): Promise<number> {
  return inFolder(async (place) => {
    const shown = await diffHere(place, name, { stat });
    if (json) return printJson(shown.ok ? { ...shown, diff: shown.diff.toString('utf8') } : shown);
    if (!shown.ok) return wrong(shown.reason, shown.name);
    for (const note of shown.notes) process.stderr.write(`${escapeToLine(note)}\n`);
    process.stdout.write(process.stdout.isTTY ? stripControls(shown.diff.toString('utf8')) : shown.diff);
    return EXIT.done;
  });
}

export function runWorktreeApply(name: string, { json = false }: JsonFlag): Promise<number> {
  return inFolder(async (place) => {
    const applied = await applyHere(place, name);
    if (json) return printJson(applied);
    if (applied.ok) return print(describeApplied(applied));
    if (applied.name === undefined) return wrong(applied.reason);
    return fail(describeApplied(applied));
  });
}

export type RemoveFlags = JsonFlag & { readonly discard?: boolean };

export function runWorktreeRemove(name: string, { json = false, discard = false }: RemoveFlags): Promise<number> {
  return inFolder(async (place) => {
    const removed = await removeHere(place, name, { discard });
    if (json) return printJson(removed);
    if (removed.ok) return print(describeRemoved(removed));
    if (removed.name === undefined) return wrong(removed.reason);
    return fail([...describeRemoved(removed), ...(discard ? [] : [DISCARD_HINT(removed.name)])]);
  }, REMOVES);
}

const REMOVES = { removes: true };

const DISCARD_HINT = (name: string) =>
  `Apply its changes first (coppice worktree apply ${name}), or discard them: coppice worktree remove ${name} --discard`;

async function inFolder(
  work: (place: WorktreesScope) => Promise<number>,
  { removes } = { removes: false },
): Promise<number> {
  const warn = (line: string) => void process.stderr.write(`warning: ${escapeToLine(line)}\n`);
  const place = await openFolderWorktrees(process.cwd(), { removes, warn });
  return place.ok ? work(place) : explainOpenFailure(place);
}

function print(lines: readonly string[], problems: readonly string[] = []): number {
  for (const problem of problems) process.stderr.write(`${escapeToLine(problem)}\n`);
  process.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.done;
}

function printJson(result: { readonly ok: boolean; readonly name?: string; readonly diff?: string }): number {
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  return result.ok ? EXIT.done : result.name === undefined ? EXIT.usage : EXIT.error;
}

function fail(lines: readonly string[]): number {
  process.stderr.write(`error: ${lines.join('\n')}\n`);
  return EXIT.error;
}

/** A usage error if the worktree is not known: a wrong name, or a wrong folder. */
function wrong(message: string, name?: string): number {
  process.stderr.write(`error: ${escapeToLine(message)}\n`);
  return name === undefined ? EXIT.usage : EXIT.error;
}

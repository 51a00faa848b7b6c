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
import { fail, print, printJson, printToStderr } from './print-result.js';

type JsonFlag = { readonly json?: boolean };

export function runWorktreeList({ json = false }: JsonFlag): Promise<number> {
  return inFolder(async (place) => {
    const listed = await listHere(place);
    if (!listed.ok) return fail(listed.reason, { code: EXIT.usage });
    if (!json) return print(describeWorktrees(listed));
    printToStderr(listed.problems);
    return printJson(listed.worktrees);
  });
}

export type DiffFlags = JsonFlag & { readonly stat?: boolean };

/** Verbatim to a pipe, for `git apply`; without control characters to a terminal. */
export function runWorktreeDiff(name: string, { json = false, stat = false }: DiffFlags): Promise<number> {
  return inFolder(async (place) => {
    const shown = await diffHere(place, name, { stat });
    if (json) return printResult(shown.ok ? { ...shown, diff: shown.diff.toString('utf8') } : shown);
    if (!shown.ok) return fail(shown.reason, { code: codeOf(shown) });
    printToStderr(shown.notes);
    process.stdout.write(process.stdout.isTTY ? stripControls(shown.diff.toString('utf8')) : shown.diff);
    return EXIT.done;
  });
}

export function runWorktreeApply(name: string, { json = false }: JsonFlag): Promise<number> {
  return inFolder(async (place) => {
    const applied = await applyHere(place, name);
    if (json) return printResult(applied);
    if (applied.ok) return print(describeApplied(applied));
    if (applied.name === undefined) return fail(applied.reason, { code: EXIT.usage });
    return failWith(describeApplied(applied));
  });
}

export type RemoveFlags = JsonFlag & { readonly discard?: boolean };

export function runWorktreeRemove(name: string, { json = false, discard = false }: RemoveFlags): Promise<number> {
  return inFolder(async (place) => {
    const removed = await removeHere(place, name, { discard });
    if (json) return printResult(removed);
    if (removed.ok) return print(describeRemoved(removed));
    if (removed.name === undefined) return fail(removed.reason, { code: EXIT.usage });
    return failWith([...describeRemoved(removed), ...(discard ? [] : [DISCARD_HINT(removed.name)])]);
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

function failWith(lines: readonly string[]): number {
  process.stderr.write(`error: ${lines.join('\n')}\n`);
  return EXIT.error;
}

function printResult(result: { readonly ok: boolean; readonly name?: string; readonly diff?: string }): number {
  return printJson(result, result.ok ? EXIT.done : codeOf(result));
}

/** A usage error if the worktree is not known: a wrong name, or a wrong folder. */
function codeOf({ name }: { readonly name?: string }): number {
  return name === undefined ? EXIT.usage : EXIT.error;
}

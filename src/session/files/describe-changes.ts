/** Describes what a rewind changes in files: lines added and removed, and a patch. */

import { areComparable, MOST_EDITS } from '../../protocol/text/compare-limits.js';
import { type FoundPath, isNothing } from './path-state.js';

const NO_BYTES = Buffer.alloc(0);

/** Binary files, links and folders have no lines. Those of files that can't be compared all count as changed. */
export async function countLines(
  from: FoundPath,
  to: FoundPath,
): Promise<{ readonly insertions: number; readonly deletions: number }> {
  const [before, after] = [contentOf(from), contentOf(to)];
  if (before.includes(0) || after.includes(0)) return { insertions: 0, deletions: 0 };
  const { diffLines } = await import('diff');
  const [old, next] = [before.toString('utf8'), after.toString('utf8')];
  const parts = areComparable(old, next) ? diffLines(old, next, { maxEditLength: MOST_EDITS }) : undefined;
  if (parts === undefined) return { insertions: linesIn(next), deletions: linesIn(old) };
  const sum = (of: 'added' | 'removed') => parts.reduce((total, part) => total + (part[of] ? part.count : 0), 0);
  return { insertions: sum('added'), deletions: sum('removed') };
}

export async function describeDifference(path: string, from: FoundPath, to: FoundPath): Promise<string> {
  if (!isFileOrNothing(from) || !isFileOrNothing(to) || from.state.sha256 === to.state.sha256)
    return `${path}: ${describeState(from)} becomes ${describeState(to)}\n`;
  const [before, after] = [contentOf(from), contentOf(to)];
  const isText = !before.includes(0) && !after.includes(0);
  if (!isText) return `${path}: ${before.length} bytes become ${after.length}\n`;
  const { createTwoFilesPatch } = await import('diff');
  const [old, next] = [before.toString('utf8'), after.toString('utf8')];
  const patch = areComparable(old, next)
    ? createTwoFilesPatch(path, path, old, next, '', '', { maxEditLength: MOST_EDITS })
    : undefined;
  return (
    patch?.replace(/^(?:Index: .*\n)?=+\n/, '') ??
    `${path}: ${before.length} bytes become ${after.length} (too different to be shown)\n`
  );
}

function describeState({ state, content }: FoundPath): string {
  if (isNothing(state)) return 'nothing';
  if (state.as === 'link') return `a link to ${content?.toString('utf8')}`;
  const mode = state.mode === undefined ? '' : ` with mode ${state.mode.toString(8).padStart(4, '0')}`;
  return `a ${state.as ?? 'file'}${mode}`;
}

function isFileOrNothing({ state }: FoundPath): boolean {
  return state.as === undefined;
}

function contentOf(found: FoundPath): Buffer {
  return isFileOrNothing(found) ? (found.content ?? NO_BYTES) : NO_BYTES;
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

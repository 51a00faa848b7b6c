/** Shows an edit as diff lines. The diff library is loaded with the first edit, and the comparison is bounded. */

import { escapeControls } from '../../protocol/escape-controls.js';
import { MOST_EDITS } from '../../protocol/text/compare-limits.js';
import { factsOf } from '../../protocol/tools/built-in-tools.js';
import type { TextChange } from '../../protocol/tools/tool-facts.js';
import { member } from './describe/describe-call.js';

export type DiffLine = { readonly sign: '+' | '-' | ' '; readonly text: string };

const CONTEXT = 2;
/** Beyond it, all old lines show as removed and all new ones as added: a model can't force a long comparison. */
const MAX_CHARS = 200_000;

/** Undefined if the call is not an edit that can be shown as a diff. `clean` makes its lines safe to show. */
export async function editDiff(
  tool: string,
  input: unknown,
  clean: (line: string) => string = escapeControls,
): Promise<readonly DiffLine[] | undefined> {
  const change = textChange(tool, input);
  if (change === undefined || change.of === 'cell') return undefined;
  const { before = '', after } = change;
  const hunks = before.length + after.length > MAX_CHARS ? undefined : await compare(before, after);
  const lines = hunks ?? [
    ...(before === '' || after === '' ? [] : [` ${NOT_COMPARED}`]),
    ...splitLines(before).map((line) => `-${line}`),
    ...splitLines(after).map((line) => `+${line}`),
  ];
  return lines.map((line) => ({ sign: signOf(line), text: clean(line.slice(1)) }));
}

const NOT_COMPARED = '(too large or too different to compare: all the old lines, then all the new ones)';

/** The fields of the input that a diff shows. */
export function changedFields(tool: string): readonly string[] {
  const { change } = factsOf(tool);
  return change === undefined ? [] : [change.after, ...(change.of === 'part' ? [change.before] : [])];
}

/** `before`: the replaced text, if the call has it. */
export type ChangedText = { readonly of: TextChange['of']; readonly before?: string; readonly after: string };

/** The text change that a call makes. Undefined if there is none, or if its input is incomplete. */
export function textChange(tool: string, input: unknown): ChangedText | undefined {
  const { change } = factsOf(tool);
  if (change === undefined) return undefined;
  const isDeleted = change.of === 'cell' && member(input, change.mode) === 'delete';
  const after = isDeleted ? '' : member(input, change.after);
  if (typeof after !== 'string') return undefined;
  if (change.of !== 'part') return { of: change.of, after };
  const before = member(input, change.before);
  return typeof before === 'string' ? { of: 'part', before, after } : undefined;
}

async function compare(before: string, after: string): Promise<readonly string[] | undefined> {
  const { structuredPatch } = await import('diff');
  const options = { context: CONTEXT, maxEditLength: MOST_EDITS };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  return patch?.hunks.flatMap((hunk, index) => {
    const lines = hunk.lines.filter((line) => !line.startsWith('\\'));
    return index === 0 ? lines : [' …', ...lines];
  });
}

function splitLines(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function signOf(line: string): DiffLine['sign'] {
  return line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ';
}

/** Describes the exact input of a call. Untrusted text is behind a margin (GT-11). */

import { escapeControls, escapeToLine } from '../../../protocol/escape-controls.js';
import type { PermissionQuestion } from '../../../protocol/permission.js';
import { changedFields, type DiffLine, editDiff } from '../../view/edit-diff.js';
import { bound, MARGIN, type QuestionLine, quote } from '../question-lines.js';

export async function describeInput(
  { tool, input }: PermissionQuestion['call'],
  whole: boolean,
): Promise<readonly QuestionLine[]> {
  const members = typeof input === 'object' && input !== null ? Object.entries(input) : [['input', input] as const];
  const diff = await editDiff(tool, input);
  const shownByDiff = diff === undefined ? [] : changedFields(tool);
  const plain = members.filter(([key]) => !shownByDiff.includes(key));
  const lines = plain.flatMap(([key, value]) => memberLines(tool, key, value, whole));
  return [...lines, ...(diff === undefined ? [] : bound(diff.map(diffLine), whole))];
}

function memberLines(tool: string, key: string, value: unknown, whole: boolean): readonly QuestionLine[] {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'undefined');
  const lines = quote(text);
  // The command gets its own lines, so that nothing before it can be mistaken for a part of it.
  if (tool === 'Bash' && key === 'command') return lines;
  const name = escapeToLine(key);
  if (lines.length === 1) return [{ kind: 'input', text: `  ${name}: ${escapeControls(text)}` }];
  return [{ kind: 'detail', text: `  ${name}:` }, ...bound(lines, whole)];
}

function diffLine({ sign, text }: DiffLine): QuestionLine {
  const kind = sign === '+' ? 'added' : sign === '-' ? 'removed' : 'input';
  return { kind, text: `${MARGIN}${sign} ${text}` };
}

/** Splits off an input of one line, to show it after the tool's name. */
export function splitInput(
  tool: string,
  lines: readonly QuestionLine[],
): readonly [string | undefined, readonly QuestionLine[]] {
  const [first, second] = lines;
  if (first?.kind !== 'input') return [undefined, lines];
  if (tool === 'Bash' && first.text.startsWith(MARGIN)) {
    return second?.text.startsWith(MARGIN) ? [undefined, lines] : [first.text.slice(MARGIN.length), lines.slice(1)];
  }
  return lines.length > 1 || first.text.startsWith(MARGIN) ? [undefined, lines] : [first.text.trimStart(), []];
}

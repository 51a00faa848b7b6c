/** A question as rows: who asks, the full input (it scrolls), what it destroys, and the choices (TU-12). */

import { MARGIN, type QuestionLine, type QuestionText } from '../../questions/question-lines.js';
import { clip, widthOf, wrap } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import { type ChoiceRow, choiceRows, type ShownChoice } from './choice-rows.js';
import { foldText } from './fold-text.js';

export type ShownQuestion = {
  readonly text: QuestionText;
  /** `2 of 5`. */
  readonly position?: string;
  readonly choices: readonly ShownChoice[];
  /** One choice per row. */
  readonly isList: boolean;
  readonly hints: readonly string[];
  /** The keys go to the editor. */
  readonly isAway: boolean;
  /** A line being written instead of a choice. */
  readonly field?: {
    readonly label: string;
    readonly before: string;
    readonly after: string;
    readonly warning?: string;
  };
  /** Number of rows scrolled away. */
  readonly scrolled: number;
};

export type QuestionFrame = {
  readonly rows: readonly string[];
  readonly cursor?: { readonly row: number; readonly column: number };
  /** True if enough of it is on the screen to be answered. */
  readonly isReadable: boolean;
  /** How far it can scroll, and the rows of one step. */
  readonly most: number;
  readonly step: number;
};

type Space = { readonly width: number; readonly maxRows: number };

/** Precedes a row that continues one of ours: it can't look like an input. */
const FURTHER = '  ↳ ';
/** Separates a mark from the text before it on the same row. */
const GAP = '   ';

export function questionRows(shown: ShownQuestion, { width, maxRows }: Space, theme: Theme): QuestionFrame {
  const { text, field } = shown;
  const inline = inlineCall(text, width);
  const head = headRows(shown, width);
  const content = [...head, ...layOut(text, inline, width)];
  const marks = inline?.hasMarks ? [] : text.marks.flatMap((mark) => foldText(`! ${mark}`, width, '  ', FURTHER));
  const marked = marks.slice(0, Math.max(1, maxRows - 5)).map((row) => theme.bad(row));
  const left = maxRows - marked.length;
  const chosen = listChoices(shown, width, Math.max(Math.min(2, left), left - content.length, left - 4), theme);
  const written = field === undefined ? undefined : writeField(field, width, theme);
  const below = [...marked, ...(written?.rows ?? chosen), ...hintRow(shown, width, theme)].slice(0, maxRows);
  const room = maxRows - below.length;
  const isCut = content.length > room;
  const step = Math.max(1, isCut ? room - 1 : room);
  const most = isCut ? content.length - step : 0;
  const from = Math.min(shown.scrolled, most);
  const above = room === 0 ? [] : content.slice(from, from + step).map((row) => paint(row, theme));
  if (isCut && room > 1) {
    const place = `  … ${from + 1}–${from + above.length} of ${content.length} rows · pgup pgdn`;
    above.push(theme.dim(clip(place, width)));
  }
  const row = above.length + marked.length + (written?.row ?? 0);
  const cursor = written === undefined || row >= maxRows ? {} : { cursor: { row, column: written.column } };
  // Includes the first row of the input, which may be below the tool's name.
  const isReadable = !isCut || step >= head.length + (inline === undefined && text.call !== undefined ? 2 : 1);
  return { rows: [...above, ...below], ...cursor, isReadable, most, step };
}

type Row = { readonly kind: QuestionLine['kind'] | 'call'; readonly text: string; readonly mark?: string };

function headRows({ text, position }: ShownQuestion, width: number): readonly Row[] {
  const head = position === undefined ? text.head : `${text.head} · ${position}`;
  const [first = '', ...rest] = wrap(head, Math.max(1, width - 2));
  return [first, ...rest.map((part) => `  ${part.trimStart()}`)].map((part) => ({
    kind: 'title',
    text: part.trimEnd(),
  }));
}

/** Laid out once per width: an input can have thousands of lines. */
const laidOut = new WeakMap<QuestionText, { readonly width: number; readonly rows: readonly Row[] }>();

function layOut(text: QuestionText, inline: InlineCall | undefined, width: number): readonly Row[] {
  const known = laidOut.get(text);
  if (known?.width === width) return known.rows;
  const fold = ({ kind, text: line }: QuestionLine): readonly Row[] =>
    foldText(line, width, '', kind === 'detail' || kind === 'danger' ? FURTHER : MARGIN).map((part) => ({
      kind,
      text: part,
    }));
  const { call } = text;
  const input = call?.input === undefined || inline !== undefined ? [] : foldText(call.input, width, MARGIN, MARGIN);
  const rows: Row[] = [
    ...(inline === undefined
      ? call === undefined
        ? []
        : [{ kind: 'call', text: `  ${call.tool}` } as const]
      : [inline.row]),
    ...input.map((part): Row => ({ kind: 'input', text: part })),
    ...text.lines.flatMap(fold),
    ...text.details.flatMap(fold),
  ];
  laidOut.set(text, { width, rows });
  return rows;
}

type InlineCall = { readonly row: Row; readonly hasMarks: boolean };

/** Tool, input and marks on one row, if they fit: a row that continues below could pass for one of ours. */
function inlineCall({ call, marks }: QuestionText, width: number): InlineCall | undefined {
  if (call?.input === undefined) return undefined;
  const text = `  ${call.tool}  ${call.input}`;
  if (widthOf(text) > width) return undefined;
  const mark = marks.map((one) => `! ${one}`).join(' ');
  const hasMarks = mark !== '' && widthOf(`${text}${GAP}${mark}`) <= width;
  return { row: { kind: 'call', text, ...(hasMarks ? { mark } : {}) }, hasMarks };
}

function paint({ kind, text, mark }: Row, theme: Theme): string {
  switch (kind) {
    case 'title':
      return theme.bold(text);
    case 'detail':
      return theme.dim(text);
    case 'danger':
      return theme.bad(text);
    case 'added':
      return theme.added(text);
    case 'removed':
      return theme.removed(text);
    case 'call':
      return mark === undefined ? text : `${text}${GAP}${theme.bad(mark)}`;
    case 'input':
      return text;
    default:
      return kind satisfies never;
  }
}

function listChoices(shown: ShownQuestion, width: number, most: number, theme: Theme): readonly string[] {
  const rows = choiceRows(shown, width);
  // If not all fit, those around the highlighted one are shown, and the last: a no is always in sight.
  const at = Math.max(
    0,
    rows.findIndex(({ parts }) => parts.some(({ isHighlighted }) => isHighlighted)),
  );
  const isCut = rows.length > most && most > 1;
  const room = isCut ? most - 1 : most;
  const from = Math.max(0, Math.min(at - Math.floor(room / 2), rows.length - room - (isCut ? 1 : 0)));
  const last = isCut ? rows.slice(-1) : [];
  return [...rows.slice(from, from + room), ...last].map((row) => paintChoices(row, shown.isAway, theme));
}

function paintChoices({ parts }: ChoiceRow, isAway: boolean, theme: Theme): string {
  return parts
    .map(({ text, isHighlighted }) => (isAway ? theme.dim(text) : isHighlighted ? theme.chosen(text) : text))
    .join('');
}

function hintRow({ field, hints }: ShownQuestion, width: number, theme: Theme): readonly string[] {
  return field === undefined || hints.length === 0 ? [] : [theme.dim(clip(`  ${hints.join(' · ')}`, width))];
}

type Written = { readonly rows: readonly string[]; readonly row: number; readonly column: number };

/** One row, scrolled so that the cursor is in it. */
function writeField(field: NonNullable<ShownQuestion['field']>, width: number, theme: Theme): Written {
  const label = clip(`  ${field.label}: `, Math.max(4, Math.floor(width / 2)));
  const room = Math.max(2, width - widthOf(label) - 1);
  const before = lastOf(field.before, room);
  const text = clip(`${before}${field.after}`, room);
  const warning = field.warning === undefined ? [] : [theme.warn(clip(`  ${field.warning}`, width))];
  return { rows: [...warning, `${label}${text}`], row: warning.length, column: widthOf(label) + widthOf(before) };
}

function lastOf(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const parts = [...text];
  let left = width - 1;
  let from = parts.length;
  while (from > 0 && left >= widthOf(parts[from - 1] ?? '')) {
    from -= 1;
    left -= widthOf(parts[from] ?? '');
  }
  return `…${parts.slice(from).join('')}`;
}

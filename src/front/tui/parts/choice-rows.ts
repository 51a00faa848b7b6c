/** Choices as rows: on one line (`1 once · 2 always … · 3 no`), or one per row. */

import { widthOf } from '../screen/width.js';
import { foldText } from './fold-text.js';

export type ShownChoice = {
  /** Empty: no key of its own. */
  readonly key: string;
  readonly text: string;
  readonly isHighlighted: boolean;
};

export type ChoiceRow = { readonly parts: readonly { readonly text: string; readonly isHighlighted: boolean }[] };

type Shown = {
  readonly choices: readonly ShownChoice[];
  readonly hints: readonly string[];
  readonly isList: boolean;
};

/** The highlighted one has a mark, so that it differs without colours. */
export function choiceRows({ choices, hints, isList }: Shown, width: number): readonly ChoiceRow[] {
  if (!isList) return inOneLine([...choices, ...hints.map(asHint)], width);
  return [
    ...choices.flatMap((choice) => asList(choice, width)),
    ...(hints.length === 0 ? [] : inOneLine(hints.map(asHint), width)),
  ];
}

function asHint(text: string): ShownChoice {
  return { key: '', text, isHighlighted: false };
}

const BETWEEN = ' · ';

function inOneLine(choices: readonly ShownChoice[], width: number): readonly ChoiceRow[] {
  const rows: { text: string; isHighlighted: boolean }[][] = [];
  let used = width;
  for (const { key, text, isHighlighted } of choices) {
    const label = `${isHighlighted ? '›' : ''}${key === '' ? text : `${key} ${text}`}`;
    const size = widthOf(label);
    const last = rows.at(-1);
    if (last !== undefined && used + BETWEEN.length + size <= width) {
      last.push({ text: BETWEEN, isHighlighted: false }, { text: label, isHighlighted });
      used += BETWEEN.length + size;
      continue;
    }
    const [first = '', ...more] = foldText(label, width, isHighlighted ? ' ' : '  ', '  ↳ ');
    rows.push([{ text: first, isHighlighted }], ...more.map((part) => [{ text: part, isHighlighted }]));
    used = widthOf(more.at(-1) ?? first);
  }
  return rows.map((parts) => ({ parts }));
}

function asList({ key, text, isHighlighted }: ShownChoice, width: number): readonly ChoiceRow[] {
  const margin = `${isHighlighted ? '›' : ' '} ${key.padEnd(2)} `;
  return foldText(text, width, margin, '   ↳ ').map((part) => ({ parts: [{ text: part, isHighlighted }] }));
}

/** Classifies lines of Markdown, as far as splitting text into blocks needs it, and cuts long ones. Linear. */

/** A line that opens a fence, with its own indentation taken off. */
export type Fence = { readonly mark: string; readonly info: string; readonly indent: number };

export function openedFence(line: string): Fence | undefined {
  if (!line.includes('```') && !line.includes('~~~')) return undefined;
  const found = /^( *)(`{3,}|~{3,})(.*)$/.exec(line);
  if (found === null) return undefined;
  const [, spaces = '', mark = '', info = ''] = found;
  // A line like ```code``` is text.
  return mark.startsWith('`') && info.includes('`') ? undefined : { mark, info, indent: spaces.length };
}

export function closesFence(line: string, { mark }: Fence): boolean {
  const found = line.trim();
  return found.length >= mark.length && found === mark.charAt(0).repeat(found.length);
}

export function indentOf(line: string): number {
  let at = 0;
  while (line.charCodeAt(at) === 0x20) at += 1;
  return at;
}

export function isHeading(line: string): boolean {
  return /^ {0,3}#{1,6}(?: |$)/.test(line);
}

export function isRule(line: string): boolean {
  return /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/.test(line);
}

export function isQuote(line: string): boolean {
  return /^ {0,3}>/.test(line);
}

/** The column where the text of a list item begins; undefined if the line is none. */
export function itemColumn(line: string): number | undefined {
  const found = /^( *(?:[-+*]|\d{1,9}[.)]))( +|$)/.exec(line);
  if (found === null || isRule(line)) return undefined;
  const [, marker = '', gap = ''] = found;
  // Many spaces after the mark begin code.
  return marker.length + (gap.length === 0 || gap.length > 4 ? 1 : gap.length);
}

/** Inside a paragraph, a list begins with a mark and text; a numbered one only with 1. */
export function interruptsText(line: string): boolean {
  const fence = openedFence(line);
  if (fence !== undefined && fence.indent <= 3) return true;
  return isHeading(line) || isQuote(line) || (/^ {0,3}(?:[-+*]|1[.)]) +\S/.test(line) && !isRule(line));
}

/** The second line of a table. */
export function isTableRule(line: string): boolean {
  return line.includes('-') && line.includes('|') && /^[ |:-]+$/.test(line);
}

/** A longer line is split. */
export const LONGEST_LINE = 4_000;

/** A fence has at most three spaces before it, so further indentation is removed. */
export function shifted(line: string, shift: number): string {
  return shift <= MOST_INDENT ? line : line.slice(Math.min(shift - MOST_INDENT, indentOf(line)));
}

const MOST_INDENT = 3;

/** Cuts between words if possible, and never within a character. */
export function cutAt(line: string): number {
  const space = line.lastIndexOf(' ', LONGEST_LINE);
  if (space > LONGEST_LINE / 2) return space;
  const from = LONGEST_LINE - LONGEST_CHARACTER;
  const around = line.slice(from, LONGEST_LINE + LONGEST_CHARACTER);
  const start = segmenter.segment(around).containing(LONGEST_CHARACTER)?.index ?? LONGEST_CHARACTER;
  return from + (start === 0 ? LONGEST_CHARACTER : start);
}

const LONGEST_CHARACTER = 64;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

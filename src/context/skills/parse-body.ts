/**
 * Parses the text of a skill once, as Markdown as far as needed: prose, code, and commands to run (EX-13). Nothing that
 * is substituted later is parsed.
 */

export type BodyPart =
  | { readonly kind: 'prose' | 'code'; readonly text: string }
  | { readonly kind: 'shell'; readonly command: string };

export function parseBody(body: string): readonly BodyPart[] {
  const parts: BodyPart[] = [];
  let block: string[] = [];
  let fence: Fence | undefined;
  const endBlock = () => {
    if (block.length > 0) parts.push(...parseBlock(block.join('')));
    block = [];
  };
  for (const line of body.match(/[^\n]*\n|[^\n]+/g) ?? []) {
    if (fence !== undefined) {
      fence.lines.push(line);
      if (!closes(line, fence)) continue;
      parts.push(...closedFence(fence));
      fence = undefined;
      continue;
    }
    fence = openFence(line);
    if (fence !== undefined || /^\s*$/.test(line) || BEGINS_BLOCK.test(line)) endBlock();
    if (fence === undefined) block.push(line);
    if (/^[ \t]*#/.test(line)) endBlock();
  }
  endBlock();
  // An unclosed fence extends to the end, and runs nothing.
  if (fence !== undefined) parts.push({ kind: 'code', text: fence.lines.join('') });
  return parts;
}

/** A code span may extend over lines, but not into the next item, quote, heading or row. */
const BEGINS_BLOCK = /^[ \t]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#|>|\|)/;

type Fence = {
  readonly mark: string;
  /** The text before it: white space, and the markers of a list or a quotation. */
  readonly before: string;
  readonly isShell: boolean;
  readonly lines: string[];
};

const OPENS = /^((?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(`{3,}|~{3,})(.*)/;
const CLOSES = /^([ \t>]*)(`{3,}|~{3,})\s*$/;

function openFence(line: string): Fence | undefined {
  const [, before = '', mark = '', info = ''] = OPENS.exec(line) ?? [];
  // "```x```" on one line is a code span.
  if (mark === '' || (mark.startsWith('`') && info.includes('`'))) return undefined;
  // In a quotation, every line would start with its marker.
  const isShell = mark.startsWith('`') && info.trimEnd() === '!' && !before.includes('>');
  return { mark, before, isShell, lines: [line] };
}

/** The same character, at least as often. A fence that is indented much further is part of the code. */
function closes(line: string, { mark, before }: Fence): boolean {
  const [, inset = '', closing = ''] = CLOSES.exec(line) ?? [];
  return closing.startsWith(mark) && columns(inset) <= columns(before) + 3;
}

function closedFence({ isShell, before, lines }: Fence): readonly BodyPart[] {
  const indent = columns(before);
  const command = lines
    .slice(1, -1)
    .map((line) => withoutIndent(line, indent))
    .join('')
    .trimEnd();
  if (!isShell || command.trim() === '') return [{ kind: 'code', text: lines.join('') }];
  const lineEnd = /\r?\n?$/.exec(lines.at(-1) ?? '')?.[0] ?? '';
  return [
    { kind: 'prose', text: before },
    { kind: 'shell', command },
    { kind: 'prose', text: lineEnd },
  ];
}

function columns(before: string): number {
  return [...before].reduce(nextColumn, 0);
}

function nextColumn(column: number, letter: string): number {
  return letter === '\t' ? column + 4 - (column % 4) : column + 1;
}

function withoutIndent(line: string, most: number): string {
  let at = 0;
  for (let column = 0; /[ \t]/.test(line.charAt(at)); at += 1) {
    column = nextColumn(column, line.charAt(at));
    if (column > most) break;
  }
  return line.slice(at);
}

/** Parses prose with its code spans, and commands at the start of a line or after white space. */
function parseBlock(text: string): readonly BodyPart[] {
  const parts: BodyPart[] = [];
  const runs = backtickRuns(text);
  let begun = 0;
  let at = 0;
  const add = (part: BodyPart, from: number, to: number) => {
    parts.push({ kind: 'prose', text: text.slice(begun, from) }, part);
    begun = to;
    at = to;
  };
  while (at < text.length) {
    const letter = text.charAt(at);
    if (letter === '\\') {
      at += 2;
    } else if (letter === '`') {
      const length = runLength(text, at);
      const end = runs.next(length, at + length);
      if (end === undefined) at += length;
      else add({ kind: 'code', text: text.slice(at, end + length) }, at, end + length);
    } else if (letter === '!' && (at === 0 || /\s/.test(text.charAt(at - 1))) && runLength(text, at + 1) === 1) {
      const end = runs.next(1, at + 2);
      const command = end === undefined ? '' : text.slice(at + 2, end);
      if (end === undefined || command.trim() === '' || /[`\n]/.test(command)) at += 1;
      else add({ kind: 'shell', command: command.trim() }, at, end + 1);
    } else {
      at += 1;
    }
  }
  return [...parts, { kind: 'prose', text: text.slice(begun) }];
}

function runLength(text: string, at: number): number {
  let end = at;
  while (text.charAt(end) === '`') end += 1;
  return end - at;
}

/** The positions of runs of backticks by length. Queried from left to right, so that the total time is linear. */
function backtickRuns(text: string): { next(length: number, from: number): number | undefined } {
  const places = new Map<number, number[]>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const known = places.get(run.length);
    if (known === undefined) places.set(run.length, [index]);
    else known.push(index);
  }
  for (const list of places.values()) list.reverse();
  return {
    next: (length, from) => {
      const list = places.get(length) ?? [];
      while ((list.at(-1) ?? from) < from) list.pop();
      return list.at(-1);
    },
  };
}

/** The part of the notebook format (.ipynb) that we read and edit. Everything else in the file stays unchanged. */

import { isObject, type JsonObject } from '../../protocol/json/json-values.js';
import { reasonOf } from '../../protocol/reason-of.js';

type Source = string | string[];

export type NotebookOutput = JsonObject & {
  readonly output_type: string;
  readonly text?: Source;
  readonly data?: JsonObject;
  readonly ename?: string;
  readonly evalue?: string;
  readonly traceback?: readonly string[];
};

export type NotebookCell = JsonObject & {
  readonly cell_type: string;
  readonly id?: string;
  readonly source: Source;
  readonly outputs?: readonly NotebookOutput[];
};

export type Notebook = JsonObject & {
  readonly cells: readonly NotebookCell[];
  readonly nbformat?: number;
  readonly nbformat_minor?: number;
};

export type ParsedNotebook = { readonly notebook: Notebook } | { readonly problem: string };

/** Nothing here does more work than the length of the text allows: the first problem ends it. */
export function parseNotebook(text: string): ParsedNotebook {
  try {
    const excess = excessOf(text);
    if (excess !== undefined) return { problem: excess };
    const value: unknown = JSON.parse(text);
    const problem = problemOf(value);
    return problem === undefined ? { notebook: value as Notebook } : { problem };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

/** A few bytes of JSON become a hundred in memory, and what is nested deeply can't be written again. */
const MOST_VALUES = 3_000_000;
const DEEPEST = 500;

/** Counted before parsing: fifty megabytes of `{},` would end the process. */
function excessOf(text: string): string | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x5b:
      case 0x7b:
        depth += 1;
        values += 1;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
        break;
      case 0x2c:
        values += 1;
        break;
    }
    if (depth > DEEPEST) return `it is nested more than ${DEEPEST} levels deep`;
    if (values > MOST_VALUES) return `it has more than ${MOST_VALUES} values`;
  }
  return undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** Where it is not as we need it, and how. */
function problemOf(value: unknown): string | undefined {
  if (!isObject(value)) return 'at the top: not an object';
  if (!Array.isArray(value.cells)) return 'at cells: not a list';
  for (const name of ['nbformat', 'nbformat_minor']) {
    if (value[name] !== undefined && typeof value[name] !== 'number') return `at ${name}: not a number`;
  }
  return firstProblem(value.cells, 'cells', cellProblem);
}

function cellProblem(cell: unknown, at: string): string | undefined {
  if (!isObject(cell)) return `at ${at}: not an object`;
  if (typeof cell.cell_type !== 'string') return `at ${at}.cell_type: not text`;
  if (cell.id !== undefined && typeof cell.id !== 'string') return `at ${at}.id: not text`;
  if (!isSource(cell.source)) return `at ${at}.source: neither text nor a list of lines`;
  if (cell.outputs === undefined) return undefined;
  if (!Array.isArray(cell.outputs)) return `at ${at}.outputs: not a list`;
  return firstProblem(cell.outputs, `${at}.outputs`, outputProblem);
}

function outputProblem(output: unknown, at: string): string | undefined {
  if (!isObject(output)) return `at ${at}: not an object`;
  if (typeof output.output_type !== 'string') return `at ${at}.output_type: not text`;
  const { text, data, ename, evalue, traceback } = output;
  if (text !== undefined && !isSource(text)) return `at ${at}.text: neither text nor a list of lines`;
  if (data !== undefined && !isObject(data)) return `at ${at}.data: not an object`;
  if (ename !== undefined && typeof ename !== 'string') return `at ${at}.ename: not text`;
  if (evalue !== undefined && typeof evalue !== 'string') return `at ${at}.evalue: not text`;
  if (traceback !== undefined && !(Array.isArray(traceback) && isSource(traceback)))
    return `at ${at}.traceback: not a list of lines`;
  return undefined;
}

function firstProblem(
  values: readonly unknown[],
  name: string,
  problem: (value: unknown, at: string) => string | undefined,
): string | undefined {
  for (const [index, value] of values.entries()) {
    const found = problem(value, `${name}.${index}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function isSource(value: unknown): value is Source {
  return typeof value === 'string' || (Array.isArray(value) && value.every((part) => typeof part === 'string'));
}

/** The cell's id, or its position in a notebook that is too old to have ids. */
export function cellName(cell: NotebookCell, index: number): string {
  return cell.id ?? `cell-${index}`;
}

export function findCell(cells: readonly NotebookCell[], name: string): number {
  const byId = cells.findIndex((cell) => cell.id === name);
  return byId !== -1
    ? byId
    : cells.findIndex((cell, index) => cellName(cell, index) === name || `cell-${index}` === name);
}

export function joinSource(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : value.join('');
}

/** Serialises the notebook in the style of its file: indentation, line endings, last newline, escapes. */
export function formatLike(before: string, value: unknown): string {
  const indent = /^\s*[[{]\r?\n([ \t]+)/.exec(before)?.[1] ?? (before.includes('\n') ? ' ' : '');
  let text = JSON.stringify(value, null, indent);
  const escapes = /\\u[0-9a-fA-F]{4}/.test(before) && !hasNonAscii(before);
  if (escapes) text = text.replace(/[\u0080-\uffff]/g, escapeCharacter);
  if (before.includes('\r\n')) text = text.replaceAll('\n', '\r\n');
  return text + (/[\r\n]*$/.exec(before)?.[0] ?? '');
}

function hasNonAscii(text: string): boolean {
  return /[\u0080-\uffff]/.test(text);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

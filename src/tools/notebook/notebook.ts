/** The part of the notebook format (.ipynb) that we read and edit. Everything else in the file stays unchanged. */

import * as z from 'zod';
import { once } from '../../protocol/once.js';
import { reasonOf } from '../../protocol/reason-of.js';

const schemas = once(() => {
  const source = z.union([z.string(), z.array(z.string())]);

  const output = z.looseObject({
    output_type: z.string(),
    text: source.optional(),
    data: z.record(z.string(), z.unknown()).optional(),
    ename: z.string().optional(),
    evalue: z.string().optional(),
    traceback: z.array(z.string()).optional(),
  });

  const cell = z.looseObject({
    cell_type: z.string(),
    id: z.string().optional(),
    source,
    outputs: z.array(output).optional(),
  });

  const notebook = z.looseObject({
    cells: z.array(cell),
    nbformat: z.number().optional(),
    nbformat_minor: z.number().optional(),
  });
  return { output, cell, notebook };
});

type Schemas = ReturnType<typeof schemas>;
export type Notebook = z.infer<Schemas['notebook']>;
export type NotebookCell = z.infer<Schemas['cell']>;
export type NotebookOutput = z.infer<Schemas['output']>;

export type ParsedNotebook = { readonly notebook: Notebook } | { readonly problem: string };

export function parseNotebook(text: string): ParsedNotebook {
  try {
    const value: unknown = JSON.parse(text);
    const parsed = schemas().notebook.safeParse(value);
    // Return the original value: the schema's copy has its fields in another order.
    if (parsed.success) return { notebook: value as Notebook };
    const issue = parsed.error.issues[0];
    return { problem: `at ${issue?.path.join('.') ?? 'the top'}: ${issue?.message ?? 'not a notebook'}` };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
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

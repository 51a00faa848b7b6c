/** NotebookEdit: replaces, inserts or deletes one cell. Everything else in the file stays unchanged. */

import { extname } from 'node:path';
import * as z from 'zod';
import { failed, type ToolOutcome } from '../../protocol/outcome.js';
import { type NotebookEditResponse, notebookEditFacts } from '../../protocol/tools/edit.js';
import DECLARED_INPUTS from '../declared-inputs.json' with { type: 'json' };
import { type Change, changeFile, type FileNow } from '../edit/file-change.js';
import { interrupted } from '../failures.js';
import { absolutePath, pathContextOf, pathInput } from '../path-context.js';
import { decodeText, encodeText } from '../read/text-encoding.js';
import type { Tool, ToolContext } from '../tool.js';
import { zodTool } from '../zod-tool.js';
import { cellName, findCell, formatLike, type Notebook, type NotebookCell, parseNotebook } from './notebook.js';

/** The description of NotebookEdit for the model. */
const notebookEditText = `Changes one cell of a notebook (.ipynb). Read the notebook first: it shows the id of each cell.

- \`edit_mode\` is \`replace\` (unless given), \`insert\` or \`delete\`.
- replace: \`cell_id\` gets \`new_source\`; outputs of a code cell are cleared, because they belong to the old source.
- insert: a new cell with \`new_source\` after \`cell_id\`, or at the top without one; \`cell_type\` (\`code\` or \`markdown\`) is needed.
- delete: removes \`cell_id\`; \`new_source\` is ignored.`;

const schema = () =>
  z.object({
    notebook_path: pathInput().describe('The notebook'),
    cell_id: z.string().optional().describe('The cell to change, or after which to insert'),
    new_source: z.string().describe('The new source of the cell'),
    cell_type: z.enum(['code', 'markdown']).optional().describe('Needed to insert'),
    edit_mode: z.enum(['replace', 'insert', 'delete']).optional(),
  });

type Input = z.infer<ReturnType<typeof schema>>;

export const notebookEditTool: Tool<Input> = zodTool({
  name: notebookEditFacts.name,
  description: notebookEditText,
  schema,
  inputSchema: DECLARED_INPUTS.NotebookEdit,
  concurrent: false,
  quotes: ['new_source'],
  declare: (input, at) => [{ kind: 'edit', path: absolutePath(input.notebook_path, at) }],
  run: runNotebookEdit,
});

async function runNotebookEdit(input: Input, context: ToolContext): Promise<ToolOutcome> {
  if (context.signal.aborted) return interrupted('Nothing was written.');
  const path = absolutePath(input.notebook_path, pathContextOf(context));
  if (extname(path).toLowerCase() !== '.ipynb') return failed(`${path} is not a notebook (.ipynb). Use Edit.`);
  const newId = context.host.newId().replaceAll('-', '').slice(-8);
  return changeFile(context, path, (now) => planChange(input, path, now, newId));
}

function planChange(input: Input, path: string, now: FileNow | undefined, newId: string): Change {
  if (now === undefined) return refuse(`${path} does not exist. Create it with Write first.`);
  const decoded = decodeText(now.bytes);
  const parsed = parseNotebook(decoded?.text ?? '');
  if ('problem' in parsed || decoded === undefined) {
    return refuse(`${path} is not a valid notebook (${'problem' in parsed ? parsed.problem : 'not text'}).`);
  }
  const edited = editCells(parsed.notebook, input, newId);
  if ('reason' in edited) return refuse(edited.reason);
  const text = formatLike(decoded.text, { ...parsed.notebook, cells: edited.cells });
  const content = encodeText(text, decoded.encoding) ?? Buffer.from(text, 'utf8');
  const language = languageOf(parsed.notebook);
  const respond = (): NotebookEditResponse => ({
    notebook_path: path,
    new_source: input.new_source,
    edit_mode: input.edit_mode ?? 'replace',
    language,
    error: '',
    ...edited.cell,
  });
  return { kind: 'write', content, say: (where) => `${edited.said} in ${where}.`, respond };
}

/** The language of its code, if specified. */
function languageOf({ metadata }: Notebook): string {
  const info = (metadata as { readonly language_info?: { readonly name?: unknown } } | undefined)?.language_info;
  return typeof info?.name === 'string' ? info.name : 'python';
}

type EditedCells =
  | {
      readonly cells: NotebookCell[];
      readonly said: string;
      /** The cell that was changed, for hooks. */
      readonly cell: { readonly cell_id?: string; readonly cell_type?: string };
    }
  | { readonly reason: string };

function editCells(notebook: Notebook, input: Input, newId: string): EditedCells {
  const { cells } = notebook;
  const mode = input.edit_mode ?? 'replace';
  const index = input.cell_id === undefined ? -1 : findCell(cells, input.cell_id);
  if (index === -1 && (mode !== 'insert' || input.cell_id !== undefined)) {
    const names = cells.slice(0, 50).map(cellName).join(', ');
    const what =
      input.cell_id === undefined ? `edit_mode ${mode} needs a cell_id.` : `There is no cell "${input.cell_id}".`;
    return { reason: `${what} The notebook has: ${names === '' ? 'no cells' : names}.` };
  }
  switch (mode) {
    case 'delete':
      return {
        cells: cells.toSpliced(index, 1),
        said: `Deleted cell ${input.cell_id}`,
        cell: { ...(input.cell_id === undefined ? {} : { cell_id: input.cell_id }) },
      };
    case 'insert': {
      if (input.cell_type === undefined) return { reason: 'To insert a cell, give cell_type: "code" or "markdown".' };
      const cell = newCell(notebook, input.cell_type, input.new_source, newId);
      const name = cellName(cell, index + 1);
      return {
        cells: cells.toSpliced(index + 1, 0, cell),
        said: `Inserted cell ${name}`,
        cell: { cell_id: name, cell_type: cell.cell_type },
      };
    }
    case 'replace': {
      const before = cells[index];
      if (before === undefined) return { reason: `There is no cell "${input.cell_id}".` };
      const cell = withSource(before, input);
      return {
        cells: cells.with(index, cell),
        said: `Replaced cell ${input.cell_id}`,
        cell: { cell_id: cellName(before, index), cell_type: cell.cell_type },
      };
    }
  }
}

function withSource(before: NotebookCell, input: Input): NotebookCell {
  const cell_type = input.cell_type ?? before.cell_type;
  const source = inStyle(input.new_source, Array.isArray(before.source));
  if (cell_type === 'code') return { ...before, cell_type, source, outputs: [], execution_count: null };
  // Only code cells may have these fields.
  const { outputs: _outputs, execution_count: _count, ...rest } = before;
  return { ...rest, cell_type, source };
}

function newCell(notebook: Notebook, cell_type: 'code' | 'markdown', source: string, id: string): NotebookCell {
  const lines = notebook.cells.every((cell) => Array.isArray(cell.source));
  const { nbformat = 4, nbformat_minor = 0 } = notebook;
  const hasIds = nbformat > 4 || (nbformat === 4 && nbformat_minor >= 5);
  return {
    cell_type,
    ...(cell_type === 'code' ? { execution_count: null } : {}),
    ...(hasIds ? { id } : {}),
    metadata: {},
    ...(cell_type === 'code' ? { outputs: [] } : {}),
    source: inStyle(source, lines),
  };
}

/** Notebooks usually store the source as a list of lines, each with its newline. */
function inStyle(source: string, lines: boolean): string | string[] {
  if (!lines) return source;
  return source === '' ? [] : source.split(/(?<=\n)/);
}

function refuse(reason: string): Change {
  return { kind: 'refuse', reason };
}

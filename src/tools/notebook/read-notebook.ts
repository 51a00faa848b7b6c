/** Reads a notebook cell by cell, with outputs. */

import { stripVTControlCharacters } from 'node:util';
import { type ImageMediaType, type ResultContent, text } from '../../protocol/blocks.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import type { ReadResponse } from '../../protocol/tools/read.js';
import { markOf } from '../edit/file-change.js';
import { type ReadTarget, readWhole } from '../read/read-target.js';
import { decodeText } from '../read/text-encoding.js';
import type { ToolContext } from '../tool.js';
import { cellName, isSource, joinSource, type NotebookCell, type NotebookOutput, parseNotebook } from './notebook.js';

const MAX_FILE_BYTES = 50 * 1024 * 1024;
const MAX_OUTPUT_CHARS = 8_000;
const MAX_CHARS = 100_000;
const MAX_IMAGES = 10;
const MAX_IMAGE_CHARS = 5 * 1024 * 1024;
const IMAGES: readonly ImageMediaType[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export async function readNotebook(target: ReadTarget, { files }: ToolContext): Promise<ToolOutcome> {
  if (target.stat.size > MAX_FILE_BYTES) {
    return failed(
      `${target.shown} is ${target.stat.size} bytes, too large to show by cells. Use Bash with jq to read parts of it.`,
    );
  }
  const bytes = await readWhole(target);
  const parsed = parseNotebook(decodeText(bytes)?.text ?? '');
  if ('problem' in parsed)
    return failed(`${target.shown} is not a valid notebook (${parsed.problem}). Use Bash to read its raw text.`);
  files.set(target.real, markOf(bytes, target.stat));
  const { cells } = parsed.notebook;
  const shown =
    cells.length === 0
      ? succeeded(`(${target.shown} is a notebook without cells)`)
      : succeeded(joinTexts(limit(cells.flatMap(renderCell))));
  return { ...shown, response: (): ReadResponse => ({ type: 'notebook', file: { filePath: target.shown, cells } }) };
}

function renderCell(cell: NotebookCell, index: number): readonly ResultContent[] {
  const name = cellName(cell, index);
  const head = `<cell id="${name}" type="${cell.cell_type}">\n${joinSource(cell.source)}\n</cell>`;
  const outputs = (cell.outputs ?? []).flatMap(renderOutput);
  return outputs.length === 0 ? [text(head)] : [text(head), text(`Output of ${name}:`), ...outputs];
}

function renderOutput(output: NotebookOutput): readonly ResultContent[] {
  const images = IMAGES.flatMap((media_type): ResultContent[] => {
    const data = output.data?.[media_type];
    const base64 = isSource(data) ? joinSource(data).replace(/\s/g, '') : '';
    if (base64 === '') return [];
    if (base64.length > MAX_IMAGE_CHARS) return [text(`(an image of ${base64.length} characters, too large to show)`)];
    return [{ type: 'image', source: { type: 'base64', media_type, data: base64 } }];
  });
  const content = outputWords(output);
  return content === '' ? images : [text(shorten(content)), ...images];
}

function outputWords(output: NotebookOutput): string {
  if (output.text !== undefined) return joinSource(output.text);
  if (output.output_type === 'error') {
    const trace = output.traceback?.join('\n');
    return stripVTControlCharacters(trace ?? `${output.ename ?? 'Error'}: ${output.evalue ?? ''}`);
  }
  const plain = output.data?.['text/plain'];
  return isSource(plain) ? joinSource(plain) : '';
}

function shorten(content: string): string {
  if (content.length <= MAX_OUTPUT_CHARS) return content;
  return `${content.slice(0, MAX_OUTPUT_CHARS)}\n(… ${content.length - MAX_OUTPUT_CHARS} more characters of output)`;
}

function limit(blocks: readonly ResultContent[]): readonly ResultContent[] {
  const kept: ResultContent[] = [];
  let chars = 0;
  let images = 0;
  for (const block of blocks) {
    if (block.type !== 'text') images += 1;
    const shown = block.type === 'text' || images <= MAX_IMAGES ? block : text('(one more image, not shown)');
    if (shown.type === 'text') chars += shown.text.length;
    if (chars > MAX_CHARS) return [...kept, text('(the notebook continues; use Bash with jq for the rest)')];
    kept.push(shown);
  }
  return kept;
}

/** Joins adjacent text blocks. */
function joinTexts(blocks: readonly ResultContent[]): readonly ResultContent[] {
  const joined: ResultContent[] = [];
  for (const block of blocks) {
    const before = joined.at(-1);
    if (block.type === 'text' && before?.type === 'text')
      joined[joined.length - 1] = text(`${before.text}\n${block.text}`);
    else joined.push(block);
  }
  return joined;
}

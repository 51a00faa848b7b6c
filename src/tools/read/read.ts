/** Read: text with line numbers, images, notebooks, PDF pages. */

import { extname } from 'node:path';
import * as z from 'zod';
import { failed, type ToolOutcome } from '../../protocol/outcome.js';
import { readFacts } from '../../protocol/tools/read.js';
import DECLARED_INPUTS from '../declared-inputs.json' with { type: 'json' };
import { explainFileError, interrupted } from '../failures.js';
import { readNotebook } from '../notebook/read-notebook.js';
import { absolutePath, pathContextOf, pathInput } from '../path-context.js';
import type { Tool, ToolContext } from '../tool.js';
import { zodTool } from '../zod-tool.js';
import { imageType, readImage } from './read-image.js';
import { readLines } from './read-lines.js';
import { readPdf } from './read-pdf.js';
import { openReadTarget, type ReadTarget } from './read-target.js';
import { looksBinary } from './text-encoding.js';

/** The description of Read for the model. */
const readText = `Reads a file.

- \`file_path\` may be absolute, relative to the current folder, or begin with \`~/\`.
- Text comes with line numbers: the number, a tab, then the line itself. The number and the tab are not part of the file.
- Up to 2,000 lines are given from the beginning; lines longer than 2,000 characters are cut. For other parts of a long file give \`offset\` (the first line wanted, from 1) and \`limit\` (how many lines).
- Images (PNG, JPEG, GIF, WebP) are shown to you as pictures.
- Notebooks (.ipynb) come cell by cell, with ids and outputs.
- PDF files are given as documents; one with more than 20 pages needs \`pages\`, such as "1-5,8", at most 20 at a time.
- Folders are not files: use Glob, or Bash with ls. Several files that may matter are best read in one message.
- A file must have been read before Edit or Write may change it.`;

const HEAD_BYTES = 8192;

const schema = () =>
  z.object({
    file_path: pathInput().describe('The file'),
    offset: z.number().int().min(0).optional().describe('First line wanted, counted from 1'),
    limit: z.number().int().min(1).optional().describe('How many lines'),
    pages: z.string().optional().describe('Pages of a PDF, such as "1-5,8"'),
  });

type ReadInput = z.infer<ReturnType<typeof schema>>;

export const readTool: Tool<ReadInput> = zodTool({
  name: readFacts.name,
  description: readText,
  schema,
  inputSchema: DECLARED_INPUTS.Read,
  concurrent: true,
  // Read limits its own output by whole lines, and an image can't be replaced by a path.
  maxResultChars: 200_000,
  declare: (input, at) => [{ kind: 'read', path: absolutePath(input.file_path, at) }],
  run: runRead,
});

async function runRead(input: ReadInput, context: ToolContext): Promise<ToolOutcome> {
  if (context.signal.aborted) return interrupted();
  const path = absolutePath(input.file_path, pathContextOf(context));
  try {
    const target = await openReadTarget(path, context);
    if ('reason' in target) return failed(target.reason);
    try {
      return await readByKind(target, input, context);
    } finally {
      await target.file.close();
    }
  } catch (error) {
    return failed(explainFileError(error, path));
  }
}

async function readByKind(target: ReadTarget, input: ReadInput, context: ToolContext): Promise<ToolOutcome> {
  const head = await target.file.read(0, HEAD_BYTES);
  const image = imageType(head);
  if (image !== undefined) return readImage(target, image, context);
  if (isPdf(head, target.real)) return readPdf(target, input.pages, context);
  if (input.pages !== undefined) return failed(`${target.shown} is not a PDF; "pages" is for PDF files only.`);
  if (extname(target.real).toLowerCase() === '.ipynb') return readNotebook(target, context);
  if (looksBinary(head)) {
    return failed(
      `${target.shown} is a binary file (${target.stat.size} bytes); it can't be shown as text. Use Bash with file, xxd or strings to inspect it.`,
    );
  }
  return readLines(target, input, context);
}

/** Some programs write a few bytes before the PDF signature. A text that only quotes the signature is not a PDF. */
function isPdf(head: Buffer, path: string): boolean {
  const at = head.subarray(0, 1024).indexOf('%PDF-');
  return at === 0 || (at > 0 && extname(path).toLowerCase() === '.pdf');
}

/** Write: creates a file or replaces its content. */

import * as z from 'zod';
import type { ToolOutcome } from '../../protocol/outcome.js';
import { type WriteResponse, writeFacts } from '../../protocol/tools/edit.js';
import DECLARED_INPUTS from '../declared-inputs.json' with { type: 'json' };
import { interrupted } from '../failures.js';
import { absolutePath, pathContextOf, pathInput } from '../path-context.js';
import { decodeText, encodeText, lineEnding, looksBinary, type TextEncoding } from '../read/text-encoding.js';
import type { Tool, ToolContext } from '../tool.js';
import { zodTool } from '../zod-tool.js';
import { type ChangedFile, describeChange } from './change-response.js';
import { type Change, changeFile, type FileNow } from './file-change.js';

/** The description of Write for the model. */
const writeText = `Writes a file: the whole content, replacing what was there.

- Missing folders on the way are made.
- A file that exists must have been read first (Read), and must not have changed since; otherwise the call is refused.
- To change a part of a file use Edit: it is shorter and safer. Write is for new files and complete rewrites.
- The encoding, the line endings (when \`content\` has plain \\n) and the mode of an existing file are kept.
- Don't make documentation or summary files nobody asked for.`;

const schema = () =>
  z.object({
    file_path: pathInput().describe('The file'),
    content: z.string().describe('The whole new content'),
  });

type Input = z.infer<ReturnType<typeof schema>>;

export const writeTool: Tool<Input> = zodTool({
  name: writeFacts.name,
  description: writeText,
  schema,
  inputSchema: DECLARED_INPUTS.Write,
  concurrent: false,
  quotes: ['content'],
  declare: (input, at) => [{ kind: 'edit', path: absolutePath(input.file_path, at) }],
  run: runWrite,
});

async function runWrite(input: Input, context: ToolContext): Promise<ToolOutcome> {
  if (context.signal.aborted) return interrupted('Nothing was written.');
  const path = absolutePath(input.file_path, pathContextOf(context));
  return changeFile(context, path, (now) => planWrite(input.content, now));
}

function planWrite(content: string, now: FileNow | undefined): Change {
  const lines = content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
  const size = `${lines} line${lines === 1 ? '' : 's'}`;
  const describe = (changed: ChangedFile) => respond(content, changed);
  if (now === undefined) {
    const say = (path: string) => `Created ${path} (${size}).`;
    return { kind: 'write', content: Buffer.from(content, 'utf8'), say, respond: describe };
  }
  const { bytes, note } = asBefore(content, now.bytes);
  const say = (path: string) => `Replaced the content of ${path} (${size}${note}).`;
  return { kind: 'write', content: bytes, say, respond: describe };
}

async function respond(content: string, changed: ChangedFile): Promise<WriteResponse> {
  return { type: changed.before === undefined ? 'create' : 'update', content, ...(await describeChange(changed)) };
}

/** Encodings that add their own byte order mark. */
const MARKED: ReadonlySet<TextEncoding> = new Set(['utf-8-bom', 'utf-16le', 'utf-16be']);

/** Encodes in the file's previous encoding and line endings, if the new content can be represented in them. */
function asBefore(content: string, before: Buffer): { readonly bytes: Buffer; readonly note: string } {
  const plain = Buffer.from(content, 'utf8');
  if (looksBinary(before)) return { bytes: plain, note: '; it held binary data before' };
  const decoded = decodeText(before);
  if (decoded === undefined) return { bytes: plain, note: '' };
  const ending = lineEnding(decoded.text);
  const unmarked = MARKED.has(decoded.encoding) && content.startsWith('\uFEFF') ? content.slice(1) : content;
  const text = ending === 'all-crlf' && !content.includes('\r') ? unmarked.replaceAll('\n', '\r\n') : unmarked;
  const encoded = encodeText(text, decoded.encoding);
  if (encoded === undefined) return { bytes: Buffer.from(text, 'utf8'), note: '; now UTF-8, it was Latin-1 before' };
  return { bytes: encoded, note: '' };
}

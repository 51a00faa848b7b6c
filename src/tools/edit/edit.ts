/** Edit: replaces one piece of text, or every occurrence of it. */

import * as z from 'zod';
import type { ToolOutcome } from '../../protocol/outcome.js';
import { type EditResponse, editFacts } from '../../protocol/tools/edit.js';
import DECLARED_INPUTS from '../declared-inputs.json' with { type: 'json' };
import { interrupted } from '../failures.js';
import { absolutePath, pathContextOf, pathInput } from '../path-context.js';
import { decodeText, encodeText, looksBinary } from '../read/text-encoding.js';
import type { Tool, ToolContext } from '../tool.js';
import { zodTool } from '../zod-tool.js';
import { type ChangedFile, describeChange } from './change-response.js';
import { explainNoMatch } from './edit-hint.js';
import { changedLines, findMatches, type Match, replaceMatches } from './edit-match.js';
import { type Change, changeFile, type FileNow } from './file-change.js';

/** The description of Edit for the model. */
const editText = `Replaces a piece of text in a file.

- The file must have been read first (Read), and must not have changed since.
- \`old_string\` must be exactly what the file has, with its indentation, and without the line numbers that Read puts in front. It must occur once: give enough of the lines around it, or set \`replace_all\` to change every occurrence (to rename something, for example).
- \`new_string\` must differ from \`old_string\`.
- Line endings and encoding are kept: write \\n whatever the file has.
- An empty \`old_string\` makes a new file with \`new_string\` as its content.
- The result shows the changed lines as they are now.`;

const schema = () =>
  z.object({
    file_path: pathInput().describe('The file'),
    old_string: z.string().describe('The text to replace, exactly as it is in the file'),
    new_string: z.string().describe('What to put in its place'),
    replace_all: z.boolean().optional().describe('Replace every occurrence'),
  });

type Input = z.infer<ReturnType<typeof schema>>;

export const editTool: Tool<Input> = zodTool({
  name: editFacts.name,
  description: editText,
  schema,
  inputSchema: DECLARED_INPUTS.Edit,
  concurrent: false,
  quotes: ['old_string', 'new_string'],
  declare: (input, at) => [{ kind: 'edit', path: absolutePath(input.file_path, at) }],
  run: runEdit,
});

async function runEdit(input: Input, context: ToolContext): Promise<ToolOutcome> {
  if (context.signal.aborted) return interrupted('Nothing was written.');
  const path = absolutePath(input.file_path, pathContextOf(context));
  return changeFile(context, path, (now) => planEdit(input, path, now));
}

function planEdit(input: Input, path: string, now: FileNow | undefined): Change {
  if (input.old_string === input.new_string)
    return refuse('old_string and new_string are identical: nothing to change.');
  if (now === undefined) return planNew(input, path);
  if (looksBinary(now.bytes)) return refuse(`${path} is a binary file and can't be edited as text.`);
  const decoded = decodeText(now.bytes);
  if (decoded === undefined) return refuse(`${path} is UTF-16 with an odd number of bytes and can't be edited safely.`);
  const { text, encoding } = decoded;
  if (input.old_string === '' && text !== '') {
    return refuse(
      `${path} exists and is not empty; an empty old_string only creates new files. Give the text to replace, or use Write.`,
    );
  }
  const matches = input.old_string === '' ? [{ start: 0, end: 0 }] : findMatches(text, input.old_string);
  if (matches.length === 0) return refuse(explainNoMatch(text, input.old_string, path));
  if (matches.length > 1 && input.replace_all !== true) return refuse(explainMany(text, matches, path));
  const edited = replaceMatches(text, matches, input.new_string);
  if (edited.text === text) return refuse('The edit does not change the file.');
  const content = encodeText(edited.text, encoding);
  if (content === undefined) {
    return refuse(
      `${path} is Latin-1, and new_string has characters that Latin-1 can't encode. Convert the file to UTF-8 first (with Bash and iconv), read it again, then edit.`,
    );
  }
  const count = matches.length === 1 ? '' : ` (${matches.length} occurrences, the first is shown)`;
  const shown = changedLines(edited);
  const say = (where: string) => `Edited ${where}${count}. New content:\n${shown}`;
  return { kind: 'write', content, say, respond: (changed) => respond(input, changed) };
}

function planNew(input: Input, path: string): Change {
  if (input.old_string !== '')
    return refuse(`${path} does not exist. To create it, use Write, or Edit with an empty old_string.`);
  const content = Buffer.from(input.new_string, 'utf8');
  return { kind: 'write', content, say: (where) => `Created ${where}.`, respond: (changed) => respond(input, changed) };
}

async function respond(input: Input, changed: ChangedFile): Promise<EditResponse> {
  return {
    ...(await describeChange(changed)),
    oldString: input.old_string,
    newString: input.new_string,
    replaceAll: input.replace_all === true,
    userModified: false,
  };
}

function explainMany(text: string, matches: readonly Match[], path: string): string {
  const lines = matches.slice(0, 20).map(({ start }) => lineAt(text, start));
  const more = matches.length > 20 ? ' …' : '';
  return `old_string occurs ${matches.length} times in ${path}, at lines ${lines.join(', ')}${more}. Give more of the lines around the one you mean, or set replace_all to change them all.`;
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function refuse(reason: string): Change {
  return { kind: 'refuse', reason };
}

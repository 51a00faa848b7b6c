/** Grep: searches file contents by regular expression, with ripgrep. */

import { resolve } from 'node:path';
import * as z from 'zod';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { interrupted } from '../failures.js';
import { absolutePath, pathContextOf, pathInput } from '../path-context.js';
import type { Tool, ToolContext } from '../tool.js';
import { zodTool } from '../zod-tool.js';
import { grepText } from './grep.text.js';
import { explainTimeout, searchWithRipgrep } from './ripgrep.js';
import { type OpenSearchPath, openSearchPath, showPath } from './search-path.js';

const DEFAULT_ENTRIES = 250;
const MAX_ENTRIES = 10_000;
const MAX_COLUMNS = 500;
const MAX_PATTERN_CHARS = 10_000;

const plainText = z.string().refine((value) => !value.includes('\0'), 'contains a NUL character');
const lineCount = z.number().int().min(0).max(1_000);

const schema = z.object({
  pattern: plainText.max(MAX_PATTERN_CHARS).describe('The regular expression'),
  path: pathInput.optional().describe('Folder or file to search; the current folder unless given'),
  glob: plainText.max(1_000).optional().describe('Only files that match this glob pattern'),
  type: plainText.max(100).optional().describe('Only files of this type, such as "ts" or "py"'),
  output_mode: z.enum(['content', 'files_with_matches', 'count']).optional(),
  '-A': lineCount.optional().describe('Lines after each match'),
  '-B': lineCount.optional().describe('Lines before each match'),
  '-C': lineCount.optional().describe('Lines before and after each match'),
  '-n': z.boolean().optional().describe('Line numbers; true unless given'),
  '-i': z.boolean().optional().describe('Ignore case'),
  head_limit: z.number().int().min(0).optional().describe('At most so many lines or files; 250 unless given'),
  offset: z.number().int().min(0).optional().describe('Skip so many lines or files first'),
  multiline: z.boolean().optional().describe('Let the pattern reach over line ends'),
});

type Input = z.infer<typeof schema>;

export const grepTool: Tool<Input> = zodTool({
  name: 'Grep',
  description: grepText,
  schema,
  concurrent: true,
  quotes: ['pattern'],
  declare: (input, at) => [{ kind: 'search', path: absolutePath(input.path ?? '.', at) }],
  run: runGrep,
});

async function runGrep(input: Input, context: ToolContext): Promise<ToolOutcome> {
  if (input.pattern === '')
    return failed('The pattern is empty: it would match every line. Give a regular expression.');
  const path = absolutePath(input.path ?? '.', pathContextOf(context));
  const searched = await openSearchPath(context, path);
  if (searched.found === 'refused') return failed(searched.reason);
  if (searched.found === 'nothing') return failed(`${path} does not exist.`);
  try {
    return await search(input, path, searched, context);
  } finally {
    await searched.held.close();
  }
}

async function search(
  input: Input,
  path: string,
  searched: OpenSearchPath,
  context: ToolContext,
): Promise<ToolOutcome> {
  // In other tools, head_limit 0 means "no limit".
  const limit = Math.min(input.head_limit || (input.head_limit === 0 ? MAX_ENTRIES : DEFAULT_ENTRIES), MAX_ENTRIES);
  const skip = input.offset ?? 0;
  const entries: string[] = [];
  let seen = 0;
  const { cwd, targets, name } = whereToRun(searched, context);
  const permitted = createFilter(context.mayRead, searched);
  const listsFiles = (input.output_mode ?? 'files_with_matches') === 'files_with_matches';
  const end = await searchWithRipgrep(context, {
    cwd,
    separator: permitted && listsFiles ? '\0' : '\n',
    take: (raw) => {
      const allowed = permitted ? permitted(raw) : raw;
      if (allowed === undefined) return true;
      const entry = name(allowed);
      seen += 1;
      if (seen > skip && entries.length < limit) entries.push(entry.endsWith('\r') ? entry.slice(0, -1) : entry);
      return seen <= skip + limit;
    },
    args: [...optionsFor(input), ...(permitted ? ['--null'] : []), '-e', input.pattern, '--', ...targets],
  });
  if (end.ended === 'aborted') return interrupted();
  if (end.ended === 'timeout') return failed(explainTimeout());
  if (end.ended === 'failed' && seen === 0) {
    return failed(`The search failed: ${end.reason.replaceAll(searched.held.processPath, searched.path)}`);
  }
  if (seen === 0) return succeeded(`No match for ${input.pattern} in ${path}.`);
  if (entries.length === 0) return succeeded(`Only ${seen} results; none after offset ${skip}.`);
  const more = seen > skip + limit ? `\n(more results follow; continue with offset ${skip + limit})` : '';
  return succeeded(entries.join('\n') + more);
}

/** If some files are denied, every entry starts with its file and a NUL. Entries of denied files are dropped. */
function createFilter(mayRead: ToolContext['mayRead'], { found, path: searched }: OpenSearchPath) {
  if (mayRead === undefined) return undefined;
  return (entry: string): string | undefined => {
    const end = entry.indexOf('\0');
    const path = end < 0 ? entry : entry.slice(0, end);
    if (path === SEPARATOR || path === '') return entry;
    if (!mayRead(found === 'file' ? searched : resolve(searched, path))) return undefined;
    return end < 0 ? entry : `${path}:${entry.slice(end + 1)}`;
  };
}

/** Between two groups of lines. */
const SEPARATOR = '--';

/**
 * Runs in the held folder, or on the held file: a name could lead elsewhere by now. `name` puts the path that other tools
 * accept in front of an entry.
 */
function whereToRun(searched: OpenSearchPath, { shell }: ToolContext) {
  const { processPath } = searched.held;
  const shown = showPath(searched.path, shell.cwd);
  if (searched.found === 'file') {
    const name = (entry: string) =>
      entry.startsWith(processPath) ? `${shown}${entry.slice(processPath.length)}` : entry;
    return { cwd: shell.cwd, targets: [processPath], name };
  }
  const name = (entry: string) =>
    entry === SEPARATOR || entry === '' || searched.path === shell.cwd
      ? entry
      : `${shown === '/' ? '' : shown}/${entry}`;
  return { cwd: processPath, targets: [], name };
}

function optionsFor(input: Input): readonly string[] {
  const mode = input.output_mode ?? 'files_with_matches';
  const options: string[] = [];
  switch (mode) {
    case 'files_with_matches':
      options.push('--files-with-matches', '--sortr=modified');
      break;
    case 'count':
      options.push('--count', '--with-filename', '--sort=path');
      break;
    case 'content':
      // Sorted, because limit and offset need a stable order.
      options.push(
        '--no-heading',
        '--with-filename',
        '--sort=path',
        `--max-columns=${MAX_COLUMNS}`,
        '--max-columns-preview',
      );
      options.push(input['-n'] === false ? '--no-line-number' : '--line-number');
      if (input['-C'] !== undefined) options.push(`--context=${input['-C']}`);
      if (input['-A'] !== undefined) options.push(`--after-context=${input['-A']}`);
      if (input['-B'] !== undefined) options.push(`--before-context=${input['-B']}`);
      break;
  }
  if (input['-i'] === true) options.push('--ignore-case');
  if (input.multiline === true) options.push('--multiline', '--multiline-dotall');
  if (input.type !== undefined && input.type !== '') options.push(`--type=${input.type}`);
  // A glob overrides .gitignore in ripgrep, so one that matches everything would include all ignored files.
  if (input.glob !== undefined && !/^(\*\*\/)*\*{1,2}$|^$/.test(input.glob))
    options.push(`--glob=${input.glob}`, '--glob=!.git');
  return options;
}

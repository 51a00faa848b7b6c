/** Grep: searches file contents by regular expression, with ripgrep. */

import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { HeldFolder } from '../../host/files.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { type GrepResponse, grepFacts } from '../../protocol/tools/search.js';
import DECLARED_INPUTS from '../declared-inputs.json' with { type: 'json' };
import { explainFileError, interrupted } from '../failures.js';
import { absolutePath, pathContextOf, pathInput } from '../path-context.js';
import type { Tool, ToolContext } from '../tool.js';
import { zodTool } from '../zod-tool.js';
import { HeldTree } from './held-tree.js';
import { type MatchQuery, matchHeld, type NamedFile, SEPARATOR } from './match-held.js';
import { explainTimeout, type RipgrepEnd, searchWithRipgrep } from './ripgrep.js';
import { type OpenSearchPath, openSearchPath, showPath } from './search-path.js';

/** The description of Grep for the model. */
const grepText = `Searches the contents of files with ripgrep.

- \`pattern\` is a regular expression in ripgrep's (Rust's) syntax: \`log.*Error\`, \`function\\s+\\w+\`. Braces and other special characters that are meant literally need a backslash: \`interface\\{\\}\`.
- \`path\` is the folder or file to search; the current folder unless given. Narrow it with \`glob\` ("*.ts", "src/**/*.{js,jsx}") or \`type\` ("js", "py", "rust").
- \`output_mode\`: \`files_with_matches\` (unless given; newest first), \`content\` (matching lines; with \`-A\`, \`-B\`, \`-C\` lines around them, \`-n\` false for no line numbers), \`count\` (matches a file).
- \`-i\` ignores case. \`multiline\` lets a pattern reach over line ends.
- At most \`head_limit\` lines or files are given (250 unless given), from \`offset\` on. Lines longer than 500 characters are cut.
- What .gitignore leaves out is not searched, nor is \`.git\`; links are not followed.`;

const DEFAULT_ENTRIES = 250;
const MAX_ENTRIES = 10_000;
const MAX_COLUMNS = 500;
const MAX_PATTERN_CHARS = 10_000;
/** The number of files held open at a time; a batch this size justifies a process. */
const MOST_HELD = 128;
const LEAST_HELD = 32;

const plainText = () => z.string().refine((value) => !value.includes('\0'), 'contains a NUL character');
const lineCount = () => z.number().int().min(0).max(1_000);

const schema = () =>
  z.object({
    pattern: plainText().max(MAX_PATTERN_CHARS).describe('The regular expression'),
    path: pathInput().optional().describe('Folder or file to search; the current folder unless given'),
    glob: plainText().max(1_000).optional().describe('Only files that match this glob pattern'),
    type: plainText().max(100).optional().describe('Only files of this type, such as "ts" or "py"'),
    output_mode: z.enum(['content', 'files_with_matches', 'count']).optional(),
    '-A': lineCount().optional().describe('Lines after each match'),
    '-B': lineCount().optional().describe('Lines before each match'),
    '-C': lineCount().optional().describe('Lines before and after each match'),
    '-n': z.boolean().optional().describe('Line numbers; true unless given'),
    '-i': z.boolean().optional().describe('Ignore case'),
    head_limit: z.number().int().min(0).optional().describe('At most so many lines or files; 250 unless given'),
    offset: z.number().int().min(0).optional().describe('Skip so many lines or files first'),
    multiline: z.boolean().optional().describe('Let the pattern reach over line ends'),
  });

type Input = z.infer<ReturnType<typeof schema>>;

export const grepTool: Tool<Input> = zodTool({
  name: grepFacts.name,
  description: grepText,
  schema,
  inputSchema: DECLARED_INPUTS.Grep,
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
  const take = (entry: string) => {
    seen += 1;
    if (seen > skip && entries.length < limit) entries.push(entry.endsWith('\r') ? entry.slice(0, -1) : entry);
    return seen <= skip + limit;
  };
  const end =
    searched.found === 'file'
      ? await searchFile(input, searched, context, take)
      : await searchFolder(input, searched, context, take);
  if (end.ended === 'aborted') return interrupted();
  if (end.ended === 'timeout') return failed(explainTimeout());
  if (end.ended === 'failed' && seen === 0) {
    return failed(`The search failed: ${end.reason.replaceAll(searched.held.processPath, searched.path)}`);
  }
  const response = () => describeFound(input, entries, context.shell.cwd);
  if (seen === 0) return { ...succeeded(`No match for ${input.pattern} in ${path}.`), response };
  if (entries.length === 0) return { ...succeeded(`Only ${seen} results; none after offset ${skip}.`), response };
  const more = seen > skip + limit ? `\n(more results follow; continue with offset ${skip + limit})` : '';
  return { ...succeeded(entries.join('\n') + more), response };
}

/** For hooks. */
function describeFound(input: Input, entries: readonly string[], cwd: string): GrepResponse {
  const mode = input.output_mode ?? 'files_with_matches';
  if (mode === 'files_with_matches') {
    return { mode, filenames: entries.map((name) => resolve(cwd, name)), numFiles: entries.length };
  }
  const found = { mode, filenames: [], content: entries.join('\n'), numLines: entries.length };
  if (mode === 'content') return { ...found, numFiles: 0 };
  const counts = entries.map((entry) => Number(entry.slice(entry.lastIndexOf(':') + 1)));
  return { ...found, numFiles: entries.length, numMatches: counts.reduce((sum, count) => sum + count, 0) };
}

type Take = (entry: string) => boolean;

async function searchFile(
  input: Input,
  { path, held }: Extract<OpenSearchPath, { found: 'file' }>,
  context: ToolContext,
  take: Take,
): Promise<RipgrepEnd> {
  if (context.mayRead?.(path) === false) return { ended: 'done' };
  return matchHeld(context, [{ name: showPath(path, context.shell.cwd), held }], queryOf(input), take);
}

/**
 * Searches in two steps. The first search names the files with a match; but ripgrep opens files by name, and a folder
 * may have been swapped for a link meanwhile. The output therefore comes from a second search of only these files, held
 * open (GT-28).
 */
async function searchFolder(
  input: Input,
  { path, held }: Extract<OpenSearchPath, { found: 'folder' }>,
  context: ToolContext,
  take: Take,
): Promise<RipgrepEnd> {
  const query = queryOf(input);
  const enough = new AbortController();
  const waiting: string[] = [];
  let shown = false;
  let stopped: RipgrepEnd | undefined;
  const stop = (end: RipgrepEnd) => {
    stopped = end;
    enough.abort();
  };
  const searchBatch = async (batch: readonly string[]) => {
    let isFirst = true;
    let isFull = false;
    const end = await withHeldFiles(held, batch, (files) => {
      const named = files.map((file) => ({ ...file, name: showPath(join(path, file.name), context.shell.cwd) }));
      return matchHeld(context, named, query, (entry) => {
        const parted = isFirst && shown && hasContext(input) && !take(SEPARATOR);
        isFirst = false;
        shown = true;
        isFull = parted || !take(entry);
        return !isFull;
      });
    });
    if (isFull || end.ended !== 'done') stop(end);
  };
  const searchWaiting = async (least: number) => {
    try {
      while (stopped === undefined && waiting.length >= least) await searchBatch(waiting.splice(0, MOST_HELD));
    } catch (error) {
      stop({ ended: 'failed', reason: explainFileError(error, path) });
    }
    running = undefined;
  };
  let running: Promise<void> | undefined;
  const listed = await searchWithRipgrep(context, {
    args: [...filesFor(input), ...query.matching, '--', '.'],
    cwd: held.processPath,
    walks: path,
    separator: '\0',
    until: enough.signal,
    take: (entry) => {
      const name = entry.startsWith('./') ? entry.slice(2) : entry;
      if (context.mayRead?.(join(path, name)) === false) return true;
      if (waiting.push(name) >= LEAST_HELD) running ??= searchWaiting(LEAST_HELD);
      return true;
    },
  });
  await running;
  await searchWaiting(1);
  return stopped ?? listed;
}

/** Skips files that are gone, or behind a link by now. */
async function withHeldFiles<T>(
  top: HeldFolder,
  names: readonly string[],
  use: (files: readonly NamedFile[]) => Promise<T>,
): Promise<T> {
  const tree = new HeldTree(top);
  const opened = await Promise.allSettled(names.map(async (name) => ({ name, held: await tree.open(name) })));
  await tree.close();
  const files = opened.flatMap((one): NamedFile[] => {
    if (one.status === 'rejected' || one.value.held === undefined) return [];
    return [{ name: one.value.name, held: one.value.held }];
  });
  try {
    for (const one of opened) if (one.status === 'rejected') throw one.reason;
    return await use(files);
  } finally {
    await Promise.all(files.map(({ held }) => held.close()));
  }
}

/** The files to search and their order, which must be stable for limit and offset. */
function filesFor(input: Input): readonly string[] {
  const mode = input.output_mode ?? 'files_with_matches';
  const order = mode === 'files_with_matches' ? '--sortr=modified' : '--sort=path';
  // Error messages could reveal files behind a swapped folder.
  const options = ['--files-with-matches', '--null', '--no-messages', order];
  if (input.type !== undefined && input.type !== '') options.push(`--type=${input.type}`);
  // A glob overrides .gitignore in ripgrep, so one that matches everything would include all ignored files.
  if (input.glob !== undefined && !/^(\*\*\/)*\*{1,2}$|^$/.test(input.glob))
    options.push(`--glob=${input.glob}`, '--glob=!.git');
  return options;
}

function queryOf(input: Input): MatchQuery {
  const mode = input.output_mode ?? 'files_with_matches';
  const lineNumbers = input['-n'] !== false;
  const matching: string[] = [];
  if (input['-i'] === true) matching.push('--ignore-case');
  if (input.multiline === true) matching.push('--multiline', '--multiline-dotall');
  matching.push(`--regexp=${input.pattern}`);
  const showing: string[] = [];
  if (mode === 'content') {
    showing.push(`--max-columns=${MAX_COLUMNS}`, '--max-columns-preview');
    showing.push(lineNumbers ? '--line-number' : '--no-line-number');
    for (const [key, option] of AROUND) if (input[key] !== undefined) showing.push(`--${option}=${input[key]}`);
  }
  return { mode, matching, showing, lineNumbers };
}

const AROUND = [
  ['-C', 'context'],
  ['-A', 'after-context'],
  ['-B', 'before-context'],
] as const;

function hasContext(input: Input): boolean {
  return input.output_mode === 'content' && AROUND.some(([key]) => (input[key] ?? 0) > 0);
}

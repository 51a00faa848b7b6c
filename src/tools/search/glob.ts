/** Glob: finds files by name, newest first. */

import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import type { HeldFolder } from '../../host/files.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { type GlobResponse, globFacts } from '../../protocol/tools/search.js';
import DECLARED_INPUTS from '../declared-inputs.json' with { type: 'json' };
import { interrupted } from '../failures.js';
import { absolutePath, type PathContext, pathContextOf, pathInput } from '../path-context.js';
import type { Tool, ToolContext } from '../tool.js';
import { zodTool } from '../zod-tool.js';
import { compileGlob } from './glob-pattern.js';
import { HeldTree } from './held-tree.js';
import { explainTimeout, searchWithRipgrep } from './ripgrep.js';
import { type OpenSearchPath, openSearchPath, showPath } from './search-path.js';

/** The description of Glob for the model. */
const globText = `Finds files by name.

- \`pattern\`: \`*\` and \`?\` within a name, \`**\` over folders, \`[a-z]\`, \`{ts,tsx}\`. A pattern without a slash, such as \`*.md\`, finds names at any depth; with one, such as \`src/**/*.test.ts\`, it is a path from the folder searched.
- \`path\` is the folder to search; the current folder unless given.
- What .gitignore leaves out is left out here, and \`.git\` always; links are not followed. To look into an ignored folder, name it in \`path\`.
- The newest files come first, 100 at most.
- To find text inside files use Grep.`;

const MAX_FILES = 100;
/** More than are shown: some may be gone by the time they are checked. */
const MAX_CANDIDATES = 1_000;

const schema = () =>
  z.object({
    pattern: z.string().describe('The glob pattern'),
    path: pathInput().optional().describe('The folder to search; the current one unless given'),
  });

type Input = z.infer<ReturnType<typeof schema>>;

export const globTool: Tool<Input> = zodTool({
  name: globFacts.name,
  description: globText,
  schema,
  inputSchema: DECLARED_INPUTS.Glob,
  concurrent: true,
  declare: (input, at) => [{ kind: 'search', path: splitGlob(input, at).folder }],
  run: runGlob,
});

async function runGlob(input: Input, context: ToolContext): Promise<ToolOutcome> {
  const { folder, pattern } = splitGlob(input, pathContextOf(context));
  const compiled = compileGlob(pattern);
  if ('reason' in compiled) return failed(`Invalid glob pattern: ${compiled.reason}.`);
  const searched = await openSearchPath(context, folder);
  if (searched.found === 'refused') return failed(searched.reason);
  if (searched.found === 'nothing') return failed(`The folder ${folder} does not exist.`);
  try {
    if (searched.found === 'file') return failed(`${folder} is a file, not a folder. Use Read.`);
    return await findFiles(input, compiled.matches, searched, context);
  } finally {
    await searched.held.close();
  }
}

async function findFiles(
  input: Input,
  matches: (path: string) => boolean,
  searched: Extract<OpenSearchPath, { found: 'folder' }>,
  context: ToolContext,
): Promise<ToolOutcome> {
  const { clock } = context.host;
  const started = clock.elapsed();
  const candidates: string[] = [];
  let count = 0;
  const end = await searchWithRipgrep(context, {
    // Error messages could reveal files behind a swapped folder.
    args: ['--files', '--null', '--no-messages', '--sortr=modified', '--', '.'],
    cwd: searched.held.processPath,
    walks: searched.path,
    separator: '\0',
    take: (entry) => {
      const name = entry.startsWith('./') ? entry.slice(2) : entry;
      if (!matches(name)) return true;
      if (context.mayRead?.(join(searched.path, name)) === false) return true;
      count += 1;
      if (candidates.length < MAX_CANDIDATES) candidates.push(name);
      return true;
    },
  });
  if (end.ended === 'aborted') return interrupted();
  if (end.ended === 'timeout') return failed(explainTimeout());
  const { present, gone } = await selectPresent(candidates, searched.held);
  count -= gone;
  const paths = present.map((name) => join(searched.path, name));
  const files = paths.map((path) => showPath(path, context.shell.cwd));
  const durationMs = Math.round(clock.elapsed() - started);
  const response = (): GlobResponse => ({
    filenames: paths,
    numFiles: paths.length,
    truncated: count > paths.length,
    durationMs,
  });
  if (end.ended === 'failed' && files.length === 0) return failed(`The search failed: ${end.reason}`);
  if (files.length === 0) return { ...succeeded(`No file matches ${input.pattern} in ${searched.path}.`), response };
  const more =
    count > files.length ? `\n(the newest ${files.length} of ${count} files; use a narrower pattern for the rest)` : '';
  return { ...succeeded(files.join('\n') + more), response };
}

/**
 * Selects the first ones that are in this folder without any link: a folder may have been swapped during the search
 * (GT-28).
 */
async function selectPresent(candidates: readonly string[], held: HeldFolder) {
  const present: string[] = [];
  let gone = 0;
  for (let from = 0; from < candidates.length && present.length < MAX_FILES; from += MAX_FILES) {
    const tree = new HeldTree(held);
    const batch = candidates.slice(from, from + MAX_FILES);
    try {
      const has = await Promise.all(batch.map((name) => tree.has(name)));
      const kept = batch.filter((_, index) => has[index]);
      gone += batch.length - kept.length;
      present.push(...kept.slice(0, MAX_FILES - present.length));
    } finally {
      await tree.close();
    }
  }
  return { present, gone };
}

/**
 * The plain beginning of a pattern is a folder: `/a/b/**` searches `/a/b`. This folder is declared and checked against
 * the roots, so that a pattern can't reach where `path` can't.
 */
function splitGlob(input: Input, at: PathContext): { readonly folder: string; readonly pattern: string } {
  const base = absolutePath(input.path ?? '.', at);
  const pattern = input.pattern.trim();
  const rooted = isAbsolute(pattern) || pattern.startsWith('~/');
  const segments = pattern.split('/');
  const special = segments.findIndex((segment) => /[*?[\]{}\\]/.test(segment));
  // The last segment is always a name to match, even without wildcards.
  const plain = Math.min(special === -1 ? segments.length : special, segments.length - 1);
  if (plain === 0 || pattern.includes('\0')) return { folder: base, pattern };
  const prefix = segments.slice(0, plain).join('/') || '/';
  const folder = rooted ? absolutePath(prefix, at) : absolutePath(prefix, { ...at, cwd: base });
  return { folder, pattern: `./${segments.slice(plain).join('/')}` };
}

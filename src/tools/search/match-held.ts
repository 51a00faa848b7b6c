/**
 * Runs ripgrep on files that are held open, in the given order. Its output names descriptors, which are mapped to file
 * names: so no name can be mistaken for a line, or a line for a name.
 */

import type { HeldFile } from '../../host/files.js';
import type { ToolContext } from '../tool.js';
import { type RipgrepEnd, searchWithRipgrep } from './ripgrep.js';

export type OutputMode = 'content' | 'files_with_matches' | 'count';

export type MatchQuery = {
  readonly mode: OutputMode;
  /** Options for the pattern and how to match it. */
  readonly matching: readonly string[];
  /** Options for how lines are shown. */
  readonly showing: readonly string[];
  readonly lineNumbers: boolean;
};

export type NamedFile = { readonly name: string; readonly held: HeldFile };

/** Separates two groups of lines. */
export const SEPARATOR = '--';

/** `take` receives the output for each match; `false` ends the search. */
export async function matchHeld(
  context: ToolContext,
  files: readonly NamedFile[],
  { mode, matching, showing, lineNumbers }: MatchQuery,
  take: (entry: string) => boolean,
): Promise<RipgrepEnd> {
  // If files are held by name, a name could still break a line.
  const usable = files.filter(({ held }) => !held.processPath.includes('\n'));
  if (usable.length === 0) return { ended: 'done' };
  const names = new Map(usable.map(({ name, held }) => [held.processPath, name]));
  const format = MODES[mode];
  return searchWithRipgrep(context, {
    args: ['--threads=1', ...format, ...showing, ...matching, '--', ...names.keys()],
    cwd: context.shell.cwd,
    separator: mode === 'files_with_matches' ? '\0' : '\n',
    take: (raw) => {
      const entry = nameEntry(raw, mode, names, lineNumbers);
      return entry === undefined || take(entry);
    },
  });
}

const MODES: Readonly<Record<OutputMode, readonly string[]>> = {
  files_with_matches: ['--files-with-matches', '--null'],
  count: ['--count', '--with-filename', '--null'],
  // The NUL marks the end of the name and of the number.
  content: [
    '--no-heading',
    '--with-filename',
    '--field-match-separator=\\x00:',
    '--field-context-separator=\\x00-',
    `--context-separator=${SEPARATOR}`,
  ],
};

function nameEntry(
  raw: string,
  mode: OutputMode,
  names: ReadonlyMap<string, string>,
  lineNumbers: boolean,
): string | undefined {
  if (raw === SEPARATOR) return raw;
  const end = raw.indexOf('\0');
  const name = names.get(end < 0 ? raw : raw.slice(0, end));
  // A message about the file instead of its lines, such as "binary file matches".
  if (name === undefined) return nameMessage(raw, names);
  if (mode === 'files_with_matches') return name;
  const rest = raw.slice(end + 1);
  if (mode === 'count') return `${name}:${rest}`;
  return `${name}${lineNumbers ? rest.replace('\0', '') : rest}`;
}

function nameMessage(raw: string, names: ReadonlyMap<string, string>): string | undefined {
  for (const [path, name] of names) if (raw.startsWith(`${path}: `)) return `${name}${raw.slice(path.length)}`;
  return undefined;
}

/** Finds completions: commands after `/`; files, folders and agents after `@`. */

import { stripToLine } from '../../../../gate/permissions/strip-controls.js';
import { escapeToLine } from '../../../../protocol/escape-controls.js';
import { FuzzyIndex, scoreOf } from './fuzzy.js';

export type CompletionSources = {
  commands(): readonly { readonly name: string; readonly takes?: string | undefined; readonly help: string }[];
  /** Paths relative to the session's folder. The same list while nothing changes. */
  files(): Promise<readonly string[]>;
  agents(): readonly { readonly name: string; readonly about: string }[];
};

export type Candidate = {
  /** The displayed text. */
  readonly label: string;
  readonly about: string;
  /** The inserted text. */
  readonly text: string;
  /** `send`: complete, so that Enter sends it. `more`: typing continues in it. */
  readonly next: 'send' | 'space' | 'more';
};

export type Candidates = { readonly rows: readonly Candidate[]; readonly count: number };

/** More than anyone reads. */
const MOST = 100;

export function findCommands(sources: CompletionSources, query: string): Candidates {
  const rows = sources
    .commands()
    .map((command) => ({ command, score: scoreOf(command.name, query) }))
    .filter((one): one is typeof one & { score: number } => one.score !== undefined)
    // Without a query, in the given order.
    .sort((one, other) => (query === '' ? 0 : other.score - one.score))
    .map(({ command: { name, takes, help } }): Candidate => {
      const label = takes === undefined ? `/${name}` : `/${name} ${takes}`;
      return {
        label: stripToLine(label),
        about: stripToLine(help),
        text: `/${name}`,
        next: takes === undefined ? 'send' : 'space',
      };
    });
  return { rows: rows.slice(0, MOST), count: rows.length };
}

export function findAgents(sources: CompletionSources, query: string): readonly Candidate[] {
  return sources
    .agents()
    .map(({ name, about }) => ({ name, about, score: scoreOf(name, query) }))
    .filter((one): one is typeof one & { score: number } => one.score !== undefined && isTypeable(one.name))
    .sort((one, other) => (query === '' ? 0 : other.score - one.score))
    .slice(0, MOST)
    .map(({ name, about }) => mention(name, `agent · ${stripToLine(about)}`, 'space'));
}

/** The files of a folder and the folders they are in, ready to be searched. */
export class FileCandidates {
  readonly #index: FuzzyIndex;

  constructor(paths: readonly string[]) {
    this.#index = new FuzzyIndex([...foldersOf(paths), ...paths]);
  }

  find(query: string): Candidates {
    const { best, count } = this.#index.search(query, MOST);
    const rows = best
      .filter(({ text }) => isTypeable(text))
      .map(({ text }) => mention(text, '', text.endsWith('/') ? 'more' : 'space'));
    return { rows, count: count - (best.length - rows.length) };
  }
}

function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>();
  let last = '';
  for (const path of paths) {
    // Paths are sorted: most are in the folder of the previous one.
    let end = path.lastIndexOf('/') + 1;
    if (end === last.length && path.startsWith(last)) continue;
    last = path.slice(0, end);
    while (end > 0 && !folders.has(path.slice(0, end))) {
      folders.add(path.slice(0, end));
      end = path.lastIndexOf('/', end - 2) + 1;
    }
  }
  return folders;
}

function mention(name: string, about: string, next: Candidate['next']): Candidate {
  // A folder stays open at its end, for more typing.
  const isBare = /^[^\s"'`<>|]+$/u.test(name);
  const text = isBare ? `@${name}` : next === 'more' ? `@"${name}` : `@"${name}"`;
  return { label: `@${escapeToLine(name)}`, about, text, next };
}

/** A mention can't contain a quote or a line break. */
function isTypeable(name: string): boolean {
  return name !== '' && !/["\p{Cc}]/u.test(name);
}

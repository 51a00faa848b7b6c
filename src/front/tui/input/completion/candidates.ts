/** What can be put in: commands after `/`; files, folders and agents after `@`. */

import { stripToLine } from '../../../../gate/permissions/strip-controls.js';
import { escapeToLine } from '../../../../protocol/escape-controls.js';
import { FuzzyIndex, scoreOf } from './fuzzy.js';

export type CompletionSources = {
  commands(): readonly { readonly name: string; readonly takes?: string | undefined; readonly help: string }[];
  /** Paths from the session's folder. The same list again while nothing changed. */
  files(): Promise<readonly string[]>;
  agents(): readonly { readonly name: string; readonly about: string }[];
};

export type Candidate = {
  /** As it is shown. */
  readonly label: string;
  readonly about: string;
  /** What stands in the editor when it was taken. */
  readonly text: string;
  /** `send`: complete by itself, so that Enter sends it. `more`: one goes on typing in it. */
  readonly next: 'send' | 'space' | 'more';
};

export type Candidates = { readonly rows: readonly Candidate[]; readonly count: number };

/** More than a person looks through. */
const MOST = 100;

export function findCommands(sources: CompletionSources, query: string): Candidates {
  const rows = sources
    .commands()
    .map((command) => ({ command, score: scoreOf(command.name, query) }))
    .filter((one): one is typeof one & { score: number } => one.score !== undefined)
    // Without a query in the order that they are given in.
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
    // Paths come sorted: most are in the folder of the one before.
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
  // A folder stays open at its end: one goes on typing.
  const isBare = /^[^\s"'`<>|]+$/u.test(name);
  const text = isBare ? `@${name}` : next === 'more' ? `@"${name}` : `@"${name}"`;
  return { label: `@${escapeToLine(name)}`, about, text, next };
}

/** There is no way to write a quote or a line break in a mention. */
function isTypeable(name: string): boolean {
  return name !== '' && !/["\p{Cc}]/u.test(name);
}

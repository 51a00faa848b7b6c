/** Glob and Grep, as every surface knows them. */

import type { CallFields, FactsAbout } from './tool-facts.js';

export const globFacts: FactsAbout<'Glob', GlobInput, GlobResponse> = {
  name: 'Glob',
  kind: 'search',
  effect: 'none',
  rule: { matches: 'path', coveredBy: 'Read' },
  path: 'path',
  main: ['pattern'],
  summary: patternIn,
  result: 'lines',
};

export const grepFacts: FactsAbout<'Grep', GrepInput, GrepResponse> = {
  name: 'Grep',
  kind: 'search',
  effect: 'none',
  rule: { matches: 'path', coveredBy: 'Read' },
  path: 'path',
  main: ['pattern'],
  summary: patternIn,
  result: 'lines',
};

function patternIn({ text, path }: CallFields<'pattern' | 'path'>): string {
  return `${text('pattern')}${text('path') === '' ? '' : ` in ${path('path')}`}`;
}

export type GlobInput = { readonly pattern: string; readonly path?: string | undefined };

export type GrepInput = {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly glob?: string | undefined;
  readonly type?: string | undefined;
  readonly output_mode?: 'content' | 'files_with_matches' | 'count' | undefined;
  readonly '-A'?: number | undefined;
  readonly '-B'?: number | undefined;
  readonly '-C'?: number | undefined;
  readonly '-n'?: boolean | undefined;
  readonly '-i'?: boolean | undefined;
  readonly head_limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly multiline?: boolean | undefined;
};

export type GlobResponse = {
  /** Absolute, newest first. */
  readonly filenames: readonly string[];
  readonly numFiles: number;
  readonly truncated: boolean;
  readonly durationMs: number;
};

export type GrepResponse = {
  readonly mode: 'content' | 'files_with_matches' | 'count';
  /** Absolute; only in the mode `files_with_matches`. */
  readonly filenames: readonly string[];
  readonly numFiles: number;
  /** In the other modes: the lines found. */
  readonly content?: string;
  readonly numLines?: number;
  /** In the mode `count`. */
  readonly numMatches?: number;
};

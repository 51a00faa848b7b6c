/** Read, as every surface knows it. */

import type { FactsAbout } from './tool-facts.js';

export const readFacts: FactsAbout<'Read', ReadInput, ReadResponse> = {
  name: 'Read',
  kind: 'read',
  effect: 'none',
  rule: { matches: 'path', covers: ['read', 'search'] },
  path: 'file_path',
  line: 'offset',
  main: ['file_path'],
  summary: ({ path, value }) => {
    const offset = value('offset');
    return `${path('file_path')}${typeof offset === 'number' ? `:${offset}` : ''}`;
  },
  result: 'lines',
};

export type ReadInput = {
  readonly file_path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly pages?: string | undefined;
};

export type ReadResponse =
  | {
      readonly type: 'text';
      readonly file: {
        readonly filePath: string;
        /** Only the lines that were read. */
        readonly content: string;
        readonly numLines: number;
        readonly startLine: number;
        readonly totalLines: number;
      };
    }
  | {
      readonly type: 'image';
      readonly file: {
        readonly filePath: string;
        readonly base64: string;
        readonly type: string;
        readonly originalSize: number;
      };
    }
  | {
      readonly type: 'pdf';
      readonly file: { readonly filePath: string; readonly base64: string; readonly originalSize: number };
    }
  | { readonly type: 'notebook'; readonly file: { readonly filePath: string; readonly cells: readonly unknown[] } };

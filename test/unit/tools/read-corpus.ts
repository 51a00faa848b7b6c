/** The rows of the bypass corpus that concern tools: paths, globs and hosts. */

import { readFileSync } from 'node:fs';

export type CorpusRow = { readonly id: string; readonly kind: string; readonly input: string };

export function readCorpus(kind: string): readonly CorpusRow[] {
  const lines = readFileSync(new URL('./bypass.jsonl', import.meta.url), 'utf8').split('\n');
  const rows = lines.filter((line) => line !== '').map((line): CorpusRow => JSON.parse(line));
  return rows.filter((row) => row.kind === kind);
}

/** Compares a program's arguments with queries that are known to only read. */

import type { Finding } from '../shell/finding.js';
import type { Query } from './program.js';

export function isQuery(queries: readonly Query[], args: readonly string[]): boolean {
  return queries.some((query) => {
    const wanted = query.words.split(' ');
    if (!wanted.every((word, index) => word === args[index])) return false;
    return args
      .slice(wanted.length)
      .every((arg) => query.options?.test(arg) === true || (query.more === true && /^[\w@./:][\w@./:-]*$/.test(arg)));
  });
}

/** Proof for a program that answers these. */
export function provenQueries(queries: readonly Query[]): (words: readonly string[]) => Finding | undefined {
  return (words) => (isQuery(queries, words.slice(1)) ? { reads: true, problems: [], paths: [] } : undefined);
}

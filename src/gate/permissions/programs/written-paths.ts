/** The files that a program writes because an option names them: `sort -o file`, `find -fprint file`. */

import type { PathUse } from '../shell/finding.js';
import type { Program } from './program.js';

export function findWritten(row: Program, words: readonly string[]): readonly PathUse[] {
  const names = (row.writes ?? '').split(' ').filter((name) => name !== '' && name !== '=');
  return names.length === 0 ? [] : words.flatMap((word, at) => (at === 0 ? [] : writtenBy(names, words, word, at)));
}

function writtenBy(names: readonly string[], words: readonly string[], word: string, at: number): readonly PathUse[] {
  const next = words[at + 1];
  const ofNext = next === undefined ? [] : [{ at: at + 1, path: next, use: 'write' } as const];
  // A name with a dash is a whole word.
  if (names.includes(word)) return ofNext;
  if (!/^-./.test(word)) return [];
  const [, long, value] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
  if (long !== undefined) {
    if (!names.some((name) => name.length > 1 && name.startsWith(long))) return [];
    return value === undefined ? ofNext : [{ at, path: value, use: 'write' }];
  }
  const place = [...word].findIndex((letter, index) => index > 0 && names.includes(letter));
  if (place < 0) return [];
  return place === word.length - 1 ? ofNext : [{ at, path: word.slice(place + 1), use: 'write' }];
}

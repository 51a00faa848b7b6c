/** Short forms for rows of the table of programs. */

import { nameSet } from './name-set.js';
import type { Program, Reader } from './program.js';

type Rows = Readonly<Record<string, Program>>;

/** Readers: proven by their options, and free in the reading sandbox. */
export function readers(specs: Readonly<Record<string, Reader>>, more: Program = {}): Rows {
  return Object.fromEntries(
    Object.entries(specs).map(([name, reads]) => [name, { reads, confined: 'any', ...more } satisfies Program]),
  );
}

/** The same row for several names. */
export function each(names: string, row: Program): Rows {
  return Object.fromEntries([...nameSet(names)].map((name) => [name, row]));
}

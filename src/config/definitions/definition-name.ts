/** Normalises the name of a definition to `a-z0-9-`, from the `name` field or the file name. Pure. */

import { createHash } from 'node:crypto';
import { basename } from 'node:path';

const MAX_LENGTH = 64;

/**
 * Returns undefined if no valid character is left. Letters without an ASCII form are replaced by a short hash of the
 * whole name, so that two such names stay different.
 */
export function normaliseName(written: string): string | undefined {
  const plain = written.normalize('NFKD').replace(/\p{M}+/gu, '');
  const name = plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const lost = /[^\p{ASCII}]/u.test(plain.replace(/[^\p{L}\p{N}]/gu, ''));
  if (!lost && name.length <= MAX_LENGTH) return name === '' ? undefined : name;
  const hash = createHash('sha256').update(written.normalize('NFC')).digest('hex').slice(0, 6);
  const kept = name.slice(0, MAX_LENGTH - 7).replace(/-+$/, '');
  return kept === '' ? `agent-${hash}` : `${kept}-${hash}`;
}

export function nameFromFile(file: string): string | undefined {
  return normaliseName(basename(file).replace(/(\.agent)?\.(md|markdown)$/i, ''));
}

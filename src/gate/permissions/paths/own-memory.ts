/**
 * The folder of an agent's own notes. A path counts as one of them only as what it really is, and only if it was written
 * that way: whatever reaches it through a link, or is another name of a file elsewhere, does not (ME-3).
 */

import { relative } from 'node:path';
import { findProtectedName } from './protected-names.js';
import { isWithin, type ResolvedPath } from './resolve-path.js';

/** What agents take as instructions of the person, wherever it is in the project: notes are not (ME-9). */
const INSTRUCTIONS = /\/(?:claude|agents)(?:\.local)?\.md$/i;

/** May be read unasked. */
export function isOwnNote(memory: string | undefined, path: ResolvedPath): boolean {
  if (memory === undefined || path.problem !== undefined || path.writeProblem !== undefined) return false;
  return path.lexical === path.real && isWithin(path.real, memory);
}

/** May be written unasked: a plain `.md` file, in folders with plain names. */
export function isWritableNote(memory: string | undefined, path: ResolvedPath): boolean {
  if (memory === undefined || !isOwnNote(memory, path) || path.kind === 'folder') return false;
  if (INSTRUCTIONS.test(path.real)) return false;
  const names = relative(memory, path.real).split('/');
  return names.every(isPlain) && /.\.md$/.test(path.real) && findProtectedName(names) === undefined;
}

/** Not hidden, and nothing in it that does not show or that a file system may leave out. */
function isPlain(name: string): boolean {
  return !/^[.\s]|[.\s]$|[\p{C}\p{DI}\p{Zl}\p{Zp}\\:]/u.test(name) && name === name.normalize('NFC');
}

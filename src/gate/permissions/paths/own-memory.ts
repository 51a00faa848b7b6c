/**
 * The folder of an agent's own notes. A path is a note only by its real path, written that way: not through a link, and
 * not as another name of a file elsewhere (ME-3).
 */

import { relative } from 'node:path';
import { findProtectedName } from './protected-names.js';
import { isWithin, type ResolvedPath } from './resolve-path.js';

/** Files that agents treat as the user's instructions anywhere in the project, which notes are not (ME-9). */
const INSTRUCTIONS = /\/(?:claude|agents)(?:\.local)?\.md$/i;

/** May be read without asking. */
export function isOwnNote(memory: string | undefined, path: ResolvedPath): boolean {
  if (memory === undefined || path.problem !== undefined || path.writeProblem !== undefined) return false;
  return path.lexical === path.real && isWithin(path.real, memory);
}

/** May be written without asking: a plain `.md` file, in folders with plain names. */
export function isWritableNote(memory: string | undefined, path: ResolvedPath): boolean {
  if (memory === undefined || !isOwnNote(memory, path) || path.kind === 'folder') return false;
  if (INSTRUCTIONS.test(path.real)) return false;
  const names = relative(memory, path.real).split('/');
  return names.every(isPlain) && /.\.md$/.test(path.real) && findProtectedName(names) === undefined;
}

/** Not hidden, and without characters that are invisible or that a file system may drop. */
function isPlain(name: string): boolean {
  return !/^[.\s]|[.\s]$|[\p{C}\p{DI}\p{Zl}\p{Zp}\\:]/u.test(name) && name === name.normalize('NFC');
}

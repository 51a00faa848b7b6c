/** Why a call came to nothing, in words a model can act on. */

import { errorCode } from '../host/files.js';
import { failed, type ToolOutcome } from '../protocol/outcome.js';
import { reasonOf } from '../protocol/reason-of.js';

/** The outcome of a call that was cancelled. `rest` says what became of the work. */
export function interrupted(rest = ''): ToolOutcome {
  return failed(`The call was interrupted before it finished.${rest === '' ? '' : ` ${rest}`}`);
}

/** A file error of the machine. */
export function explainFileError(error: unknown, path: string): string {
  const code = errorCode(error);
  const words = code === undefined ? undefined : WORDS[code];
  if (words !== undefined) return `${shorten(path)}: ${words} (${code}).`;
  return `${shorten(path)}: ${reasonOf(error)}`;
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; this user may not do that here',
  EPERM: 'the operation is not permitted',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'this is a folder, not a file',
  ELOOP: 'the links on this path go in a circle',
  ENAMETOOLONG: 'the name is too long (255 bytes a name, 4,096 a path)',
  ENOSPC: 'the disk is full; free some space and try again',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EEXIST: 'something is there already',
  EMFILE: 'too many files are open; try again',
  EIO: 'the disk reported an error',
};

function shorten(path: string): string {
  return path.length > 300 ? `${path.slice(0, 200)}…${path.slice(-80)}` : path;
}

/** Failure texts that a model can act on. */

import { errorCode } from '../host/files.js';
import { failed, type ToolOutcome } from '../protocol/outcome.js';
import { reasonOf } from '../protocol/reason-of.js';

/** The outcome of a cancelled call. `rest` says what happened to the work. */
export function interrupted(rest = ''): ToolOutcome {
  return failed(`The call was interrupted before it finished.${rest === '' ? '' : ` ${rest}`}`);
}

/** Describes a file system error. */
export function explainFileError(error: unknown, path: string): string {
  const code = errorCode(error);
  const content = code === undefined ? undefined : WORDS[code];
  if (content !== undefined) return `${shorten(path)}: ${content} (${code}).`;
  return `${shorten(path)}: ${reasonOf(error)}`;
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied for this user',
  EPERM: 'the operation is not permitted',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'part of the path is a file, not a folder',
  EISDIR: 'this is a folder, not a file',
  ELOOP: 'it is a link, or has too many levels of links',
  ENAMETOOLONG: 'the name is too long (at most 255 bytes per name, 4,096 per path)',
  ENOSPC: 'the disk is full; free some space and try again',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EEXIST: 'it already exists',
  EMFILE: 'too many files are open; try again',
  ESTALE: 'it, or a folder on the way to it, was replaced while the call ran; check the path and call again',
  EIO: 'the disk reported an error',
};

function shorten(path: string): string {
  return path.length > 300 ? `${path.slice(0, 200)}…${path.slice(-80)}` : path;
}

/** Tells the model what a box hid from its command, when that may be why it failed. */

import type { ProcessExit } from '../../host/processes.js';
import { joinSome } from '../../protocol/text/one-line.js';
import type { PreparedBox } from './reading-box.js';

/** A guess: programs print an error number in their own words. */
const REFUSED =
  /Permission denied|Operation not permitted|Read-only file system|No such file or directory|command not found|not found$|Network is unreachable|Temporary failure in name resolution|Could not resolve|Address family not supported|No space left on device|E(?:ACCES|PERM|ROFS|NOENT|NOSPC|AFNOSUPPORT|NETUNREACH)\b/m;
const MOST_TEXT = 64 * 1024;
const MOST_NAMED = 5;

export function describeHidden(box: PreparedBox, output: string, exit: ProcessExit): string | undefined {
  const failed = exit.error === undefined && (exit.code !== 0 || exit.signal !== null);
  if (!failed && !REFUSED.test(output.slice(-MOST_TEXT))) return undefined;
  const denied = box.masks.length > 0 ? `, files that may not be read (${joinSome(box.masks, MOST_NAMED)})` : '';
  return `the command ran where it can only read: hidden are everything outside the working folders except installed programs, the home, /tmp, variables that may hold keys, the network and other processes${denied}. If the task needs it, repeat the command with unconfined: true; the person is asked`;
}

/** Tells the model what was hidden from its command, when that may be why it failed. */

import type { ProcessExit } from '../../host/processes.js';
import { joinSome } from '../../protocol/text/one-line.js';
import type { View } from './sandbox.js';

/** A guess: programs print an error number in their own words. */
const REFUSED =
  /Permission denied|Operation not permitted|Read-only file system|No such file or directory|command not found|not found$|Network is unreachable|Temporary failure in name resolution|Could not resolve|Address family not supported|No space left on device|E(?:ACCES|PERM|ROFS|NOENT|NOSPC|AFNOSUPPORT|NETUNREACH)\b/m;
const MOST_TEXT = 64 * 1024;
const MOST_NAMED = 5;

export function describeHidden(view: View, output: string, exit: ProcessExit): string | undefined {
  const failed = exit.error === undefined && (exit.code !== 0 || exit.signal !== null);
  if (!failed && !REFUSED.test(output.slice(-MOST_TEXT))) return undefined;
  const denied = view.masks.length > 0 ? `, files that may not be read (${joinSome(view.masks, MOST_NAMED)})` : '';
  return `the command ran where it can only read: hidden are everything outside the working folders except installed programs, the home, /tmp, variables that may hold keys, the network and other processes${denied}. If the task needs it, repeat the command with unconfined: true; the person is asked`;
}

/**
 * Guesses from a command's output whether the sandbox refused something. The kernel gives programs only an error
 * number, and they print it in their own words: a guess may miss, or mistake another cause for ours. It decides
 * nothing.
 */

import { resolve } from 'node:path';
import { joinSome } from '../../protocol/text/one-line.js';
import { isWithin } from '../permissions/paths/resolve-path.js';

export type Refusal = {
  readonly network: boolean /** Paths named beside the error, as far as they can be read. */;
  readonly paths: readonly string[];
  readonly write: boolean;
  /** Not only busy. */
  readonly readOnly: boolean;
};

const NETWORK_WORDS = [
  'Network is unreachable',
  'ENETUNREACH',
  'EAI_AGAIN',
  'getaddrinfo ENOTFOUND',
  'Temporary failure in name resolution',
  'Name or service not known',
  'Could not resolve host',
  'could not resolve host',
  'Failed to resolve',
];
/** A server on this machine is outside the sandbox's network: a refused connection to it looks like this. */
const LOCAL_SERVER =
  /(?:ECONNREFUSED|[Cc]onnection refused|Failed to connect).*(?:127\.0\.0\.1|localhost|::1)|(?:127\.0\.0\.1|localhost|::1).*(?:ECONNREFUSED|[Cc]onnection refused|Could not connect|Couldn't connect)/;
const WRITE_WORDS = ['Read-only file system', 'EROFS', 'read-only file system', 'Device or resource busy', 'EBUSY'];
const MOST_TEXT = 64 * 1024;
const LONGEST_LINE = 2_000;
const MOST_PATHS = 5;

export function recogniseRefusal(output: string, granted: { readonly network: boolean }): Refusal | undefined {
  const paths = new Set<string>();
  let network = false;
  let write = false;
  let readOnly = false;
  for (const whole of output.slice(-MOST_TEXT).split('\n')) {
    const line = whole.slice(0, LONGEST_LINE);
    if (!granted.network && (NETWORK_WORDS.some((words) => line.includes(words)) || LOCAL_SERVER.test(line))) {
      network = true;
    }
    const words = WRITE_WORDS.find((candidate) => line.includes(candidate));
    if (words === undefined) continue;
    write = true;
    readOnly ||= /read-only|EROFS/i.test(words);
    const path = nameIn(line, words);
    if (path !== undefined && paths.size < MOST_PATHS) paths.add(path);
  }
  return network || write ? { network, write, readOnly, paths: [...paths] } : undefined;
}

/** A line for the model, added after the output. */
export function describeRefusal({ network, write, paths }: Refusal): string {
  const named = paths.length > 0 ? ` (${paths.join(', ')})` : '';
  const what = [
    network ? 'connections are off' : undefined,
    write ? `everything outside the working folders, and protected names in them, is read-only${named}` : undefined,
  ];
  return `the command ran in a sandbox: ${what.filter((part) => part !== undefined).join('; ')}. If the task needs it, ask for it for this one command`;
}

/** A line for the model if a write to something guarded was refused: which paths, and how to ask for it. */
export function describeGuarded(guarded: readonly string[], output: string, cwd: string): string | undefined {
  const refused = recogniseRefusal(output, { network: true });
  if (refused === undefined) return undefined;
  const named = refused.paths.map((path) => resolve(cwd, path));
  const hit = guarded.filter((guard) => named.some((path) => isWithin(path, guard) || isWithin(guard, path)));
  // A file that is busy for another reason is none of ours.
  if (hit.length === 0 && (named.length > 0 || !refused.readOnly)) return undefined;
  const shown = hit.length > 0 ? hit : guarded;
  return `protected, and read-only for this command: ${joinSome(shown, MOST_PATHS)}. It was not run again. If the task needs it, repeat the command with unconfined: true; the user is asked`;
}

/** The quoted name, or the last word before the colon. */
function nameIn(line: string, words: string): string | undefined {
  const before = line.slice(0, line.indexOf(words));
  const after = line.slice(line.indexOf(words) + words.length);
  const quoted = /['‘"]([^'’"]+)['’"]/.exec(before)?.[1] ?? /['‘"]([^'’"]+)['’"]/.exec(after)?.[1];
  return quoted ?? /(\S+):\s*$/.exec(before.slice(-300))?.[1];
}

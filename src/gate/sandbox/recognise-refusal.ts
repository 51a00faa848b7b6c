/**
 * Guesses from a command's output whether the sandbox refused something. The kernel gives programs only an error
 * number, and they print it in their own words: a guess may miss, or mistake another cause for ours. It decides
 * nothing.
 */

export type Refusal = {
  readonly network: boolean /** Paths named beside the error, as far as they can be read. */;
  readonly paths: readonly string[];
  readonly write: boolean;
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
  for (const whole of output.slice(-MOST_TEXT).split('\n')) {
    const line = whole.slice(0, LONGEST_LINE);
    if (!granted.network && (NETWORK_WORDS.some((words) => line.includes(words)) || LOCAL_SERVER.test(line))) {
      network = true;
    }
    const words = WRITE_WORDS.find((candidate) => line.includes(candidate));
    if (words === undefined) continue;
    write = true;
    const path = nameIn(line, words);
    if (path !== undefined && paths.size < MOST_PATHS) paths.add(path);
  }
  return network || write ? { network, write, paths: [...paths] } : undefined;
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

/** The quoted name, or the last word before the colon. */
function nameIn(line: string, words: string): string | undefined {
  const before = line.slice(0, line.indexOf(words));
  const after = line.slice(line.indexOf(words) + words.length);
  const quoted = /['‘"]([^'’"]+)['’"]/.exec(before)?.[1] ?? /['‘"]([^'’"]+)['’"]/.exec(after)?.[1];
  return quoted ?? /(\S+):\s*$/.exec(before.slice(-300))?.[1];
}

/** The script a command is run in, and the environment it sees. */

import type { Environment } from '../../host/host.js';

/**
 * The command is evaluated, so that a syntax error in it can't swallow what stands around it. The folder it ended in is
 * written to `folderFile` twice over: by a trap, for `exit` and `set -e`; and after it, in case it set a trap of its own.
 * All on one line: bash's error messages then count the command's own lines.
 */
export function wrapCommand(command: string, folderFile: string): string {
  const keepFolder = `{ builtin pwd -P >|${quote(folderFile)}; } 2>/dev/null`;
  return [
    'exec 2>&1',
    `trap ${quote(keepFolder)} EXIT`,
    `eval ${quote(command)}`,
    `{ __coppice_code=$?; builtin pwd -P >|${quote(folderFile)}; set +x; } 2>/dev/null`,
    'exit $__coppice_code',
  ].join('; ');
}

/** The person's environment without our own keys, and set so that nothing waits for a terminal. */
export function shellEnvironment(env: Environment): Environment {
  const { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ...rest } = env;
  const keys = env.COPPICE_KEEP_KEYS === '1' ? { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN } : {};
  return { ...rest, ...keys, GIT_TERMINAL_PROMPT: '0', PAGER: 'cat', GIT_PAGER: 'cat', COPPICE: '1' };
}

function quote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

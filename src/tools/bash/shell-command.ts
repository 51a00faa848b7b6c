/** The command line and the environment for bash, and how it reports its final folder. */

import type { Environment } from '../../host/host.js';
import type { ProcessCommand } from '../../host/processes.js';

/** High, so that a command's own `exec 3>…` does not replace it. */
const REPORT = 199;

export function shellCommand(command: string, cwd: string, env: Environment): ProcessCommand {
  const args = ['-c', wrapCommand(command)];
  return { file: 'bash', args, cwd, env: shellEnvironment(env), descriptors: [{ kind: 'report' }] };
}

/**
 * The command is run with `eval`, so that a syntax error in it can't swallow the code around it. Its final folder is
 * reported twice: by a trap, for `exit` and `set -e`; and after the command, in case it sets its own trap. Everything is
 * on one line, so that bash's error messages have the command's own line numbers.
 */
function wrapCommand(command: string): string {
  const tellFolder = `{ { builtin pwd -P; builtin printf '\\0'; } >&${REPORT}; } 2>/dev/null`;
  return [
    `exec 2>&1 ${REPORT}>&3 3>&-`,
    `trap ${quote(tellFolder)} EXIT`,
    `eval ${quote(command)}`,
    `{ __coppice_code=$?; ${tellFolder}; set +x; } 2>/dev/null`,
    'exit $__coppice_code',
  ].join('; ');
}

/** The last reported folder. The command itself can write here too, so it is only a claim. */
export function readFolder(report: Buffer): string | undefined {
  const reported = report.toString('utf8').split('\0').slice(0, -1).at(-1);
  const folder = reported?.replace(/\n$/, '');
  return folder === '' ? undefined : folder;
}

/** The user's environment without our own keys, set so that no program waits for a terminal. */
function shellEnvironment(env: Environment): Environment {
  const { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ...rest } = env;
  const keys = env.COPPICE_KEEP_KEYS === '1' ? { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN } : {};
  return { ...rest, ...keys, GIT_TERMINAL_PROMPT: '0', PAGER: 'cat', GIT_PAGER: 'cat', COPPICE: '1' };
}

function quote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

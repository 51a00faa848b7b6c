/** The command line and the environment for bash, and how it reports its final folder. */

import type { Environment, Host } from '../../host/host.js';
import type { ProcessCommand } from '../../host/processes.js';
import { findOwnProgram } from '../../host/programs/own-program.js';
import { processEnvironment } from '../../host/programs/process-environment.js';

/** High, so that a command's own `exec 3>…` does not replace it. */
const REPORT = 199;

export type ShellPlace = { readonly host: Host; readonly roots: readonly string[] };

export function shellCommand(command: string, cwd: string, { host, roots }: ShellPlace): ProcessCommand {
  // The last is the name that bash gives itself in messages.
  const args = ['-c', wrapCommand(command), 'bash'];
  const file = findOwnProgram(host, 'bash', roots) ?? '/bin/bash';
  const env = shellEnvironment(processEnvironment(host, 'command', roots));
  return { file, args, cwd, env, descriptors: [{ kind: 'report' }] };
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

/** Set so that no program waits for a terminal. */
function shellEnvironment(env: Environment): Environment {
  return { ...env, GIT_TERMINAL_PROMPT: '0', PAGER: 'cat', GIT_PAGER: 'cat', COPPICE: '1' };
}

function quote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

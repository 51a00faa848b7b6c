/** The shell around the commands of a line that rules cover: builtins, variables and printed words that change nothing. */

import { loadsCode, steersShell } from '../../../../host/programs/process-environment.js';
import type { ShellAssignment, ShellCommand, ShellReading, ShellWord } from '../reading/shell-reading.js';
import { PROGRAM_VARIABLE } from '../restrictions/wrappers.js';

/** `$?` and the like: numbers that the shell itself sets. */
const STATUS = /^(?:[?#$!]|PIPESTATUS|SECONDS|LINENO|RANDOM|BASHPID|EPOCHSECONDS)$/;

/** True if the word is known, or what is computed in it is only printed or compared. */
export function isHarmlessWord(word: ShellWord, program: string): boolean {
  const { computed } = word;
  if (word.plain && (word.value !== undefined || computed !== undefined)) return true;
  if (computed === undefined || !computed.isPlain || computed.scripts.length > 0) return false;
  if (computed.variables.every((name) => STATUS.test(name))) return true;
  return computed.isOneWord && /^(?:echo|test|\[|\[\[)$/.test(program);
}

const PLAIN_NAME = /^[A-Za-z_]\w*$/;

/** True for builtins that only steer this line: they set variables that steer no program, or end it. */
export function isHarmlessBuiltin({ words, redirects, assignments }: ShellCommand, reading: ShellReading): boolean {
  const [name, ...args] = words.map(({ value }) => value);
  if (assignments.length > 0) return false;
  const isInput = redirects.every(({ kind }) => kind === 'body' || kind === 'duplicate' || kind === 'read');
  switch (name) {
    case 'exit':
    case 'return':
      return words.slice(1).every((word) => isHarmlessWord(word, name) || /^\d+$/.test(word.value ?? ''));
    case 'break':
    case 'continue':
    case 'shift':
    case 'wait':
      return args.every((arg) => arg !== undefined && /^\d*$/.test(arg));
    case 'kill':
      // A job of this line.
      return words.slice(1).every(({ raw }) => /^(?:-[A-Z0-9]+|%\d+|"?\$!"?)$/.test(raw));
    case 'set':
      return (
        args.length > 0 &&
        args.every((arg) => arg !== undefined && /^(?:[-+][eux]+o?|[-+]o|pipefail|errexit|nounset)$/.test(arg))
      );
    case 'export':
    case 'local':
    case 'readonly':
      return words.slice(1).every(({ raw }) => setsHarmless(raw, reading));
    case 'unset':
      return args.every((arg) => arg !== undefined && PLAIN_NAME.test(arg) && !isSteeringName(arg));
    case 'read':
      return (
        isInput &&
        args.every(
          (arg) => arg !== undefined && (/^-[rsd]*$/.test(arg) || (PLAIN_NAME.test(arg) && !isSteeringName(arg))),
        )
      );
    default:
      return false;
  }
}

function setsHarmless(raw: string, { values }: ShellReading): boolean {
  const name = /^([A-Za-z_]\w*)(?:=|$)/.exec(raw)?.[1];
  if (name === undefined || isSteeringName(name)) return false;
  return (values.get(name) ?? []).every(
    ({ computed }) => (computed?.scripts ?? []).length === 0 || computed?.isPlain === true,
  );
}

/** True if it can change which program runs, or what a program does beyond its own purpose. */
export function isSteering({ name, value }: ShellAssignment, program: string | undefined): boolean {
  // For the shell alone, a name in lower case means nothing to programs.
  if (program === undefined && /^[a-z_][a-z0-9_]*$/.test(name)) return false;
  if (isSteeringName(name)) return true;
  return program !== undefined && value !== undefined && /^\(\)/.test(value);
}

/** Besides those that steer a shell, load code or name a program: where programs find their files, peers and settings. */
const STEERING =
  /^(?:PATH|HOME|SHELL|TMPDIR|XDG_.*|SSH_.*|NPM_CONFIG_.*|YARN_.*|CARGO_.*|GO(?:TOOLCHAIN|PROXY|ROOT|PATH|ENV)|[CL]?[A-Z]*FLAGS|DOCKER_.*|KUBECONFIG|AWS_.*|[A-Z]+_PROXY|SSL_.*|CURL_.*|WGETRC|RSYNC_RSH|NODE_EXTRA_CA_CERTS|ANTHROPIC_.*|COPPICE.*|CLAUDE.*)$/i;

function isSteeringName(name: string): boolean {
  return steersShell(name) || loadsCode(name) || STEERING.test(name) || PROGRAM_VARIABLE.test(name);
}

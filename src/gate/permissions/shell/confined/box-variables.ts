/** The variables that a confined line may set and expand so that it behaves as it would outside. */

import { BOX_VARIABLES } from '../../../sandbox/box-environment.js';

/** Variables that bash itself provides, and every positional and special parameter. */
const OF_BASH =
  /^(?:[?#@*$!_-]|\d+|PWD|OLDPWD|RANDOM|SECONDS|LINENO|REPLY|IFS|UID|EUID|OSTYPE|MACHTYPE|HOSTTYPE|PIPESTATUS|FUNCNAME|OPTARG|OPTIND|BASH_VERSION|BASH_REMATCH|BASHPID|EPOCHSECONDS)$/;

export function isSameInBox(name: string, sets: ReadonlySet<string>): boolean {
  return sets.has(name) || BOX_VARIABLES.has(name) || OF_BASH.test(name);
}

/**
 * For a program, or for the shell and what it starts: lower-case names mean nothing to programs; of the others, only those
 * that control the format of output.
 */
export function mayBeSet(name: string): boolean {
  return (
    /^(?:[a-z_][a-z0-9_]*|[A-Z])$/.test(name) ||
    /^(?:LANG|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|CI|NODE_ENV|RUST_BACKTRACE|IFS|REPLY)$/.test(
      name,
    )
  );
}

/** Variables that control the shell itself, or that are already in the sandbox's environment. */
const MEANS_SOMETHING =
  /^(?:BASH|COMP|COPPICE|DIRSTACK|ENV$|EXECIGNORE|FCEDIT|FIGNORE|FUNCNEST|GIT_|GLOBIGNORE|GOCACHE|HIST|HOST|IGNOREEOF|INPUTRC|LD_|MAIL|OPT|POSIXLY|PROMPT|PS\d|READLINE|SHELL|TIMEFORMAT|TMOUT|TMPDIR|XDG_)/;

/** For the shell alone: it is not exported, unless it is already in the environment. */
export function mayBeSetInShell(name: string): boolean {
  return mayBeSet(name) || (/^[A-Z][A-Z0-9_]*$/.test(name) && !BOX_VARIABLES.has(name) && !MEANS_SOMETHING.test(name));
}

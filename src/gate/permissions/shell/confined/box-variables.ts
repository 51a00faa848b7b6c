/** Which variables a confined line may set and expand so that it does the same there as outside. */

import { BOX_VARIABLES } from '../../../box/box-environment.js';

/** What bash itself provides, and every positional and special parameter. */
const OF_BASH =
  /^(?:[?#@*$!_-]|\d+|PWD|OLDPWD|RANDOM|SECONDS|LINENO|REPLY|IFS|UID|EUID|OSTYPE|MACHTYPE|HOSTTYPE|PIPESTATUS|FUNCNAME|OPTARG|OPTIND|BASH_VERSION|BASH_REMATCH|BASHPID|EPOCHSECONDS)$/;

export function isSameInBox(name: string, sets: ReadonlySet<string>): boolean {
  return sets.has(name) || BOX_VARIABLES.has(name) || OF_BASH.test(name);
}

/**
 * For a program, or for the shell and what it starts: names in small letters mean nothing to programs; of the others only
 * those that decide how output looks.
 */
export function mayBeSet(name: string): boolean {
  return (
    /^(?:[a-z_][a-z0-9_]*|[A-Z])$/.test(name) ||
    /^(?:LANG|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|CI|NODE_ENV|RUST_BACKTRACE|IFS|REPLY)$/.test(
      name,
    )
  );
}

/** What the shell itself goes by, and what is in the environment of the box already. */
const MEANS_SOMETHING =
  /^(?:BASH|COMP|COPPICE|DIRSTACK|ENV$|EXECIGNORE|FCEDIT|FIGNORE|FUNCNEST|GIT_|GLOBIGNORE|GOCACHE|HIST|HOST|IGNOREEOF|INPUTRC|LD_|MAIL|OPT|POSIXLY|PROMPT|PS\d|READLINE|SHELL|TIMEFORMAT|TMOUT|TMPDIR|XDG_)/;

/** For the shell alone: it stays in the shell, unless it is in the environment already. */
export function mayBeSetInShell(name: string): boolean {
  return mayBeSet(name) || (/^[A-Z][A-Z0-9_]*$/.test(name) && !BOX_VARIABLES.has(name) && !MEANS_SOMETHING.test(name));
}

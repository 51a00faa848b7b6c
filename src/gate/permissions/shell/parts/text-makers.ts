/**
 * Substitutions that only put literal text together or name things (GT-35): `$(cat <<'EOF' …)`, `$(date +%F)`. Their
 * output can't begin with a dash, so that it becomes no option of the command around it.
 */

import type { ShellCommand } from '../reading/shell-reading.js';

export function makesText(commands: readonly ShellCommand[]): boolean {
  return makes(commands, MAKERS);
}

/** Also what the repository names, which may begin with anything: for a place where it can't become an option. */
export function namesThings(commands: readonly ShellCommand[]): boolean {
  return makes(commands, { ...MAKERS, git: asksGit });
}

type Makers = Readonly<Record<string, (args: readonly string[]) => boolean>>;

function makes(commands: readonly ShellCommand[], makers: Makers): boolean {
  const [command, ...more] = commands;
  if (command === undefined || more.length > 0 || command.assignments.length > 0) return false;
  const values = command.words.map(({ value, glob }) => (glob ? undefined : value));
  const [name, ...args] = values;
  if (name === undefined || !args.every((arg) => arg !== undefined)) return false;
  if (name === 'cat') return args.length === 0 && printsBody(command);
  const isQuiet = command.redirects.every(
    (redirect) => redirect.kind === 'duplicate' || ('target' in redirect && redirect.target.value === '/dev/null'),
  );
  return isQuiet && Object.hasOwn(makers, name) && makers[name]?.(args) === true;
}

/** A text in the line itself, which the shell does not expand. */
function printsBody({ redirects }: ShellCommand): boolean {
  const [body, ...more] = redirects;
  return body?.kind === 'body' && body.literal === true && more.length === 0 && !/^\s*-/.test(body.text);
}

const isPlain = (text: string) => /^(?![-\\])/.test(text);
const arePlain = (texts: readonly string[]) => texts.every(isPlain);
const none = (args: readonly string[]) => args.length === 0;

const MAKERS: Makers = {
  echo: arePlain,
  printf: arePlain,
  date: (args) => args.every((arg) => /^(?:-u|\+[%\w][^\\]*)$/.test(arg)),
  pwd: none,
  whoami: none,
  nproc: none,
  hostname: none,
  uname: (args) => args.every((arg) => /^-[asrmn]$/.test(arg)),
  seq: (args) => args.every((arg) => /^\d+$/.test(arg)),
  basename: (args) => arePlain(args) && args.every((arg) => !/\/-/.test(arg)),
  dirname: (args) => arePlain(args) && args.every((arg) => !/\/-/.test(arg)),
  git: (args) => args[0] === 'rev-parse' && !args.includes('--abbrev-ref') && asksGit(args),
};

const GIT: Readonly<Record<string, RegExp>> = {
  'rev-parse': /^--(?:short(?:=\d+)?|abbrev-ref|show-toplevel|verify|quiet)$/,
  'merge-base': /^--fork-point$/,
  branch: /^--show-current$/,
  describe: /^--(?:tags|always|dirty|abbrev=\d+|long)$/,
  config: /^--get$/,
  'symbolic-ref': /^--short$/,
};

function asksGit([command = '', ...args]: readonly string[]): boolean {
  const options = Object.hasOwn(GIT, command) ? GIT[command] : undefined;
  return options !== undefined && args.every((arg) => /^[\w@][\w@{}^~./]*$/.test(arg) || options.test(arg));
}

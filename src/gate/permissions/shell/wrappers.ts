/** Programs that run other programs, and where in their arguments the other one starts. */

import { nameSet } from '../programs/name-set.js';

/**
 * Run a command given in their arguments. For deny rules, every argument of these may start a command. `!` is a shell
 * keyword; after an assignment it is the name of a program, at least in bash.
 */
const RUNNERS = nameSet(`
  ! busybox chroot chrt command builtin coproc cpulimit doas daemonize dbus-run-session env entr exec eval expect faketime fakeroot
  fd fdfind firejail flock gdb gosu hyperfine ionice ld.so linux32 linux64 ltrace nice nohup nocache nsenter parallel perf
  pkexec prlimit proot proxychains proxychains4 reptyr rlwrap run0 runcon runuser schedtool screen script sem setarch setpriv
  setsid sg ssh sshpass start-stop-daemon stdbuf strace su sudo sudoedit systemd-run taskset time timeout timelimit tmux toybox
  torify trap trickle unbuffer unshare valgrind viddy watch watchexec winpty xargs xvfb-run mapfile readarray alias complete
  compgen bind at batch bwrap caffeinate chpst su-exec tini dumb-init s6-setuidgid softlimit envdir setlock setuidgid`);

/** Run what the project or the user configured under a name, and sometimes a command. Computed words are normal. */
const LAUNCHERS = nameSet(`
  npx bunx uv uvx pipx poetry pipenv make gmake just task rake dotenv direnv mise asdf nodemon onchange nix-shell with-contenv`);

/** Read shell text from an argument, a file or stdin. */
const SHELLS = new Set([
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'mksh',
  'ash',
  'fish',
  'rbash',
  'yash',
  'csh',
  'tcsh',
  'pwsh',
  'source',
  '.',
]);

/** Run code in another language from the command line or stdin. */
const INTERPRETERS =
  /^(?:python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua[\d.]*|luajit|r|rscript|julia|ghci|awk|gawk|mawk|nawk|expect|tclsh[\d.]*|osascript|ed|ex|vi|vim|nvim|view|emacs|sqlite3|psql|mysql|gdb|ipython[\d.]*|irb|scala|groovy|jshell|swift|elixir|erl|racket|guile|sbcl|octave|m4)$/;

/** The code may be attached: `perl -e'…'`. */
const INLINE_CODE = /^-(?:[A-Za-z]*[cepEr]|-(?:eval|print|command|exec|execute|run|code|file)(?:=|$))/;

/** The normalised name of a program: no folder, no case, no look-alike letters. */
export function programName(word: string): string {
  const base = word.slice(word.lastIndexOf('/') + 1);
  if (/^[\x21-\x7e]*$/.test(base)) return base.toLowerCase();
  return base
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Mn}\p{Zs}\p{Cc}]/gu, '')
    .toLowerCase();
}

export function isRunner(name: string): boolean {
  return RUNNERS.has(name) || SHELLS.has(name) || name.startsWith('ld-linux') || name.startsWith('ld-musl');
}

export function isLauncher(name: string): boolean {
  return LAUNCHERS.has(name);
}

export function isShell(name: string): boolean {
  return SHELLS.has(name);
}

/** A shell, or a language whose code may be given on the command line. */
export function runsText(name: string): boolean {
  return SHELLS.has(name) ? name !== '.' && name !== 'source' : INTERPRETERS.test(name);
}

/** True for code in another language, which a rule about names can't inspect. */
export function runsInlineCode(name: string, args: readonly (string | undefined)[]): boolean {
  if (!INTERPRETERS.test(name)) return false;
  if (/^(?:awk|gawk|mawk|nawk|expect|tclsh|gdb|ed|ex|vi|vim|nvim|view|emacs)$/.test(name)) return true;
  // Words after a script's name belong to the script.
  const script = args.findIndex(
    (arg) => arg !== undefined && !arg.startsWith('-') && /[./]/.test(arg) && !/^\/(?:dev|proc)\//.test(arg),
  );
  const own = script < 0 ? args : args.slice(0, script);
  return (
    args.length === 0 ||
    own.some((arg) => arg === undefined || /^(?:-$|\/dev\/|\/proc\/)/.test(arg) || INLINE_CODE.test(arg))
  );
}

/** Options whose value is a program or a command line, for any program. */
export const PROGRAM_OPTION =
  /^--?(?:[a-z-]*-)?(?:exec|exec-batch|execdir|command|cmd|program|prog|pager|editor|shell|rsh|ssh|browser|html|pre|hook|action|script|upload-pack|receive-pack|hostname-bin|open-files-in-pager|extcmd|tool|ok|okdir|x|eval)(?:=([\s\S]*))?$/;

/** Variables whose value some program runs. */
export const PROGRAM_VARIABLE =
  /(?:COMMAND|_CMD|EDITOR|PAGER|SHELL|BROWSER|ASKPASS|EXTERNAL_DIFF|_SSH|RSH|LESSOPEN|LESSCLOSE|PS4|PROMPT|PROXY_CMD|WRAPPER|HOOK|VISUAL|MAKE|CC|CXX|LD|PRE)$/i;

/**
 * The environment of every process we start (GT-23). Two kinds of processes:
 *
 * | what is removed                                    | `command` | `own` |
 * |---|---|---|
 * | PATH entries: relative, in a root, the home itself | yes, but folders of approved plugins stay  | yes |
 * | our keys                                           | yes, but `COPPICE_KEEP_KEYS=1` keeps them | yes |
 * | what steers a shell (`steersShell`)                | yes, unless the person's settings name it | yes |
 * | what steers the loader, node or git                 | yes, unless the person's settings name it | yes |
 * | what else makes a program load code                | no: it is the person's own environment    | yes |
 *
 * `command`: what a person or a rule lets run: Bash, hooks, servers, the status line, editors. `own`: what runs without
 * anybody's word: our own helpers, our git, commands that only read. In the box even less is left: `BOX_VARIABLES`.
 */

import type { Environment } from '../environment.js';
import type { Host } from '../host.js';
import { cleanPath } from './clean-path.js';

export type ProcessKind = 'command' | 'own';

export type ProcessPlace = Pick<Host, 'env' | 'files' | 'folder' | 'chosen'>;

/** `roots`: the folders its agent works in; omitted: the repository of the working folder. */
export function processEnvironment(host: ProcessPlace, kind: ProcessKind, roots?: readonly string[]): Environment {
  const { env, chosen } = host;
  const keepsKeys = kind === 'command' && env.COPPICE_KEEP_KEYS === '1';
  const isKept = (name: string) => {
    if (isOwnKey(name)) return keepsKeys;
    if (kind === 'own') return !steersShell(name) && !loadsCode(name);
    return !(steersShell(name) || steersLoader(name)) || chosen?.variables.has(name) === true;
  };
  const kept = Object.entries(env).filter(([name, value]) => value !== undefined && isKept(name));
  return { ...Object.fromEntries(kept), PATH: cleanPath(host, roots, kind === 'command' ? chosen?.folders : []) };
}

/** Our own credentials for models: no process needs them, and nobody else's entry can refer to them. */
export const OWN_KEYS: ReadonlySet<string> = new Set([
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_CUSTOM_HEADERS',
  'CLAUDE_CODE_OAUTH_TOKEN',
]);

/** Some systems ignore case in names. */
export function isOwnKey(name: string): boolean {
  return OWN_KEYS.has(name.toUpperCase());
}

/** Changes what a line means: where `cd` leads, what a shell runs first, what a glob or a word is, what a name calls. */
export function steersShell(name: string): boolean {
  return STEERS_SHELL.test(name);
}

const STEERS_SHELL =
  /^(?:CDPATH|BASH_ENV|ENV|GLOBIGNORE|FIGNORE|EXECIGNORE|GLOBSORT|SHELLOPTS|BASHOPTS|BASH_XTRACEFD|BASH_COMPAT|BASH_LOADABLES_PATH|POSIXLY_CORRECT|PS[04]|PROMPT_COMMAND|IFS|BASH_FUNC_.*)$/s;

/** Changes what any program, node or git does before its own first line. */
function steersLoader(name: string): boolean {
  return /^(?:LD_.*|DYLD_.*|NODE_OPTIONS|GIT_.*)$/.test(name) && !HARMLESS.test(name);
}

/** Makes a program load or start code that the command does not name, or sends git elsewhere. */
export function loadsCode(name: string): boolean {
  return LOADS_CODE.test(name) && !HARMLESS.test(name);
}

const LOADS_CODE =
  /^(?:LD_.*|DYLD_.*|GCONV_PATH|GETCONF_DIR|LOCPATH|NLSPATH|HOSTALIASES|RES_OPTIONS|MALLOC_.*|GLIBC_TUNABLES|NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE|NODE_V8_COVERAGE|DENO_.*|BUN_(?:OPTIONS|CONFIG.*)|PYTHON[A-Z0-9]*|PERL5?[A-Z0-9]*|PERL_.*|RUBY[A-Z0-9_]*|BUNDLE_.*|GEM_(?:HOME|PATH)|LUA_.*|PHP_INI_SCAN_DIR|PHPRC|JAVA_TOOL_OPTIONS|_?JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|MAVEN_OPTS|GRADLE_OPTS|DOTNET_STARTUP_HOOKS|DOTNET_ADDITIONAL_DEPS|CORECLR_.*|COR_.*|RUSTC_.*|RUSTC|RUSTFLAGS|GOFLAGS|MAKEFLAGS|MAKEFILES|GIT_.*|SSH_ASKPASS|LESS|LESSOPEN|LESSCLOSE|LESSKEY.*|MANPAGER|MANOPT|PAGER|EDITOR|VISUAL|BROWSER|RIPGREP_CONFIG_PATH|FZF_DEFAULT_.*|GREP_OPTIONS|AWKPATH|AWKLIBPATH|TAR_OPTIONS|GZIP|ZIPOPT|UNZIP|OPENSSL_CONF|OPENSSL_MODULES|OPENSSL_ENGINES|TERMINFO|TERMCAP|ZDOTDIR|FPATH|BASH_.*)$/;

/** They neither redirect git nor make it run or write anything. */
const HARMLESS =
  /^(?:GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|GIT_CEILING_DIRECTORIES|GIT_(?:LITERAL|GLOB|NOGLOB|ICASE)_PATHSPECS|GIT_ADVICE|GIT_FLUSH|GIT_TERMINAL_PROMPT|BASH_(?:DEFAULT|MAX)_TIMEOUT_MS)$/;

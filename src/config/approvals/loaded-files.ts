/** Finds what a server's `env` makes programs load: an approval covers files of the project, but can't cover folders (MC-2). */

import { isAbsolute, resolve } from 'node:path';
import { isWithin } from '../path-within.js';
import { userHome } from '../paths.js';
import { type FileScan, hashNamedFiles, type NamedFiles } from './named-files.js';

/** Variables that tell programs where to find programs, libraries or startup files. Some systems ignore their case. */
const LOADING_VARIABLE = new RegExp(
  `^(?:${[
    'PATH|LD_\\w+|DYLD_\\w+|CLASSPATH|HOME|XDG_CONFIG_HOME|SHELL|BASH_ENV|ENV|ZDOTDIR|EDITOR|PAGER',
    'NODE_PATH|NODE_OPTIONS|TS_NODE_PROJECT|TSX_TSCONFIG_PATH|NPM_CONFIG_(?:\\w*CONFIG|PREFIX|SCRIPT_SHELL|NODE_OPTIONS)',
    'PYTHON(?:PATH|HOME|STARTUP|USERBASE)|RUBYOPT|RUBYLIB|GEM_PATH|GEM_HOME|BUNDLE_GEMFILE|BUNDLE_PATH',
    'PERLLIB|PERL5LIB|PERL5OPT|PERL5DB|LUA_(?:C?PATH|INIT)\\w*|PHPRC|PHP_INI_SCAN_DIR|R_(?:LIBS|PROFILE|ENVIRON)\\w*',
    '(?:_?JAVA|JDK_JAVA)(?:_TOOL)?_OPTIONS|JAVA_HOME|GIT_(?:SSH\\w*|EXEC_PATH|CONFIG_GLOBAL|CONFIG_SYSTEM)',
    'DOCKER_CONFIG|COMPOSE_FILE|MAKEFILES|MAKEFLAGS',
  ].join('|')})$`,
  'i',
);
/** These load only files: `ENV=test` often has another meaning. */
const FILE_VARIABLE = /^(?:BASH_ENV|ENV|SHELL|EDITOR|PAGER|PYTHONSTARTUP|LD_PRELOAD)$/i;
/** These are lists of folders; an empty item is the server's working folder. */
const FOLDER_LIST = /^(?:PATH|LD_LIBRARY_PATH|NODE_PATH|PYTHONPATH|CLASSPATH|PERL5LIB)$/i;

const ASSIGNMENT = /(?<=^|[\s;|("'`]|&&)([A-Z_\d]+)=("[^"]*"|'[^']*'|[^\s;&|]*)/g;

export type LoadedPath = { readonly variable: string; readonly path: string };

/** Collects paths from variables that are set, and from assignments in the command: `env PATH=./bin tool`. */
export function loadedBy(
  variables: Readonly<Record<string, string>>,
  commands: readonly string[],
): readonly LoadedPath[] {
  const inCommands = commands.flatMap((text) =>
    [...text.matchAll(ASSIGNMENT)].map(([, name = '', value = '']) => [name, value.replace(/["']/g, '')] as const),
  );
  return [...Object.entries(variables), ...inCommands].flatMap(([variable, value]) => {
    if (!LOADING_VARIABLE.test(variable) || value === '') return [];
    if (FOLDER_LIST.test(variable)) return value.split(/[:;]/).map((path) => ({ variable, path: path || '.' }));
    return pathsOf(value).map((path) => ({ variable, path }));
  });
}

/** Finds paths in options: `--import=./x.mjs -r ./y`, `-Ilib`, `./a.so:./b.so`. Skips URLs. */
function pathsOf(value: string): readonly string[] {
  const pieces = value.split(/[\s;,=]+|:(?!\/\/)/).map((piece) => piece.replace(/^-[IrMC](?=.)/, ''));
  return pieces.filter((piece) => piece !== '' && !piece.startsWith('-') && !/:\/\//.test(piece));
}

/**
 * Returns the file if it is in the project, and nothing if it is outside or does not exist yet (it would be new then).
 * Undefined: it is, or may be, a folder of the project.
 */
export async function scanLoadedPath(scan: FileScan, { variable, path }: LoadedPath): Promise<NamedFiles | undefined> {
  const { host, projectRoot, base = projectRoot } = scan;
  if (path === `$${variable}` || path === `$\{${variable}}`) return {};
  const known = path.replace(/\$\{?(PWD|HOME|C\w+_PROJECT_DIR)\b\}?/g, (_, name: string) =>
    name === 'PWD' ? base : name === 'HOME' ? userHome(host.env) : projectRoot,
  );
  // The shell's value for it is unknown.
  if (/[$`]/.test(known)) return FILE_VARIABLE.test(variable) ? {} : undefined;
  const absolute = resolve(base, known);
  const real = await host.files.realpath(absolute).catch(() => undefined);
  const isOurs = isWithin(projectRoot, absolute) || (real !== undefined && isWithin(projectRoot, real));
  if (!isOurs && isAbsolute(known)) return {};
  const isFolder = real !== undefined && (await host.files.stat(real))?.kind === 'folder';
  if (isFolder) return FILE_VARIABLE.test(variable) ? {} : undefined;
  return hashNamedFiles(scan, { command: 'exec', args: [absolute] });
}

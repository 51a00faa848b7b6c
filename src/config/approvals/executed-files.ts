/** Finds the words of a command that name what it runs, and the files that well-known programs run without naming. Pure. */

/** The interpretation of a path. */
export type RunWord = {
  /** It is run or loaded in any case. Otherwise it is relevant only if it looks like a script. */
  readonly isRun: boolean;
  /** It may refer to a file with an extension, or to a folder with a package. */
  readonly isModule: boolean;
};

/**
 * Splits a line into words in two ways: as the shell does, and with quoted text split as well, for
 * `sh -c "./a.sh; ./b.sh"` and `--file=c.py`. Targets of output redirections are left out.
 */
export function shellWords(line: string): readonly (readonly string[])[] {
  const pieces = withoutQuotes(line).replace(/>+\s*[^\s;&|<>()]+/g, ' ');
  return [wholeWords(line), pieces.split(/[\s;&|<()=`,]+/)];
}

/** The words of a line as the shell splits it, without their quotes. */
export function wholeWords(line: string): readonly string[] {
  const whole = line.match(/(?:[^\s"'\\;&|<>()]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|["'\\])+|>+|[;&|<()]/g) ?? [];
  return whole.filter((word, index) => !/^>+$/.test(word) && !/^>+$/.test(whole[index - 1] ?? '')).map(withoutQuotes);
}

function withoutQuotes(text: string): string {
  return text.replace(/["']|\\(?=.)/gs, '');
}

const INTERPRETER =
  /^(?:\.|source|exec|env|(?:ba|da|z|k|mk|a|c|tc|fi)?sh|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|run|tsx|ts-node|ruby|perl|php|lua|luajit|awk|gawk|mawk|sed|make|gmake|just|jq|osascript|pwsh|Rscript|julia|expect|tclsh|npx|bunx|pnpx|dlx|watch)$/;
const LOADS_MODULES = /^(?:node|nodejs|deno|bun|run|tsx|ts-node|npx|bunx|pnpx|exec|dlx|watch)$/;
/** Flags whose value is loaded before anything else runs. */
const LOADING_FLAG =
  /^(?:-r|--require|--import|--loader|--experimental-loader|--preload|--import-map|--tsconfig|--rcfile|--init-file|-jar|--env-file(?:-if-exists)?|--experimental-config-file)$/;
const FOLDER_FLAG = /^(?:-C|--directory|--cwd|--prefix|--dir|--project)$/;

export function isInterpreter(word: string): boolean {
  return INTERPRETER.test(nameOf(word));
}

/** Interprets one word; for `--import=./x`, the part that is a path. */
export function readWord(words: readonly string[], index: number): RunWord & { readonly path: string } {
  const word = words[index] ?? '';
  const [, flag = '', value = ''] = /^(--?[\w-]+)=([\s\S]+)$/.exec(word) ?? [];
  if (LOADING_FLAG.test(flag)) return { path: value, isRun: true, isModule: true };
  if (LOADING_FLAG.test(words[index - 1] ?? '')) return { path: word, isRun: true, isModule: true };
  let at = index - 1;
  while (at >= 0) {
    if (words[at]?.startsWith('-')) at -= 1;
    else if (/^(?:--?[\w-]+)$/.test(words[at - 1] ?? '') && takesValue(words[at - 1] ?? '')) at -= 2;
    else break;
  }
  const program = nameOf(words[at]);
  return { path: word, isRun: INTERPRETER.test(program), isModule: LOADS_MODULES.test(program) };
}

function takesValue(flag: string): boolean {
  return (
    LOADING_FLAG.test(flag) ||
    FOLDER_FLAG.test(flag) ||
    /^(?:--conditions|--input-type|--with|--package|-p)$/.test(flag)
  );
}

function nameOf(word: string | undefined): string {
  return word?.replace(/^.*\//, '').replace(/\.(?:exe|cmd)$/i, '') ?? '';
}

/** The folders that the command changes to first. */
export function foldersIn(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const [, flag = '', value = ''] = /^(--?[\w-]+)=([\s\S]+)$/.exec(word) ?? [];
    if (FOLDER_FLAG.test(flag)) return [value];
    const before = words[index - 1] ?? '';
    return FOLDER_FLAG.test(before) || /^(?:cd|pushd)$/.test(before) ? [word] : [];
  });
}

const PACKAGES = ['package.json', '.npmrc'];
const COMPOSE = ['compose', 'docker-compose', 'compose.override', 'docker-compose.override'];
const COMPOSE_FILES = [...COMPOSE.flatMap((name) => [`${name}.yaml`, `${name}.yml`]), '.env'];
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const OF_PYTHON = ['pyproject.toml', 'uv.toml', 'uv.lock', 'poetry.lock', 'Pipfile'];

const RUNNER_FILES: readonly (readonly [program: RegExp, files: readonly string[]])[] = [
  [/^(?:npm|pnpm|yarn)$/, [...PACKAGES, '.yarnrc.yml', '.yarnrc', '.pnpmfile.cjs']],
  [/^bun$/, [...PACKAGES, 'bunfig.toml']],
  [/^(?:npx|pnpx|bunx)$/, ['.npmrc', 'bunfig.toml']],
  [/^g?make$/, MAKEFILES],
  [/^just$/, ['justfile', 'Justfile', '.justfile']],
  [/^rake$/, ['Rakefile', 'rakefile']],
  [/^(?:docker|podman)(?:-compose)?$/, COMPOSE_FILES],
  [/^(?:uvx?|poetry|pipenv|pipx|hatch|pdm)$/, OF_PYTHON],
  [/^deno$/, ['deno.json', 'deno.jsonc']],
  [/^cargo$/, ['Cargo.toml', 'build.rs', '.cargo/config.toml']],
  [/^go$/, ['go.mod', 'main.go']],
];

/** Files that its programs run without naming them, relative to its folder or a parent folder. */
export function unnamedFiles(words: readonly string[]): readonly string[] {
  const files: string[] = [];
  for (const [index, word] of words.entries()) {
    if (/\s/.test(word)) files.push(...unnamedFiles(wholeWords(word)));
    if (!isProgram(words, index)) continue;
    const program = nameOf(word);
    const rest = words.slice(index + 1);
    const operands = rest.filter((one) => !one.startsWith('-')).slice(0, 3);
    if (/^(?:docker|podman)$/.test(program) && operands[0] !== 'compose') continue;
    for (const [form, own] of RUNNER_FILES) if (form.test(program)) files.push(...own);
    // These programs prefer a locally installed package.
    if (/^(?:npx|pnpx|bunx|npm|pnpm|yarn|bun)$/.test(program)) {
      files.push(
        ...operands.map((name) => `node_modules/.bin/${name.replace(/^@[^/]+\//, '').replace(/@[^@]*$/, '')}`),
      );
    }
    const module = /^(?:python|pypy)[\d.]*$/.test(program) ? rest[rest.indexOf('-m') + 1] : undefined;
    if (rest.includes('-m') && module !== undefined) files.push(...moduleFiles(module));
  }
  return files;
}

/** `python -m a.b` */
function moduleFiles(name: string): readonly string[] {
  const parts = name.split('.');
  const packages = parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/__init__.py`);
  return [`${parts.join('/')}.py`, `${parts.join('/')}/__main__.py`, ...packages];
}

const WRAPPER = /^(?:env|exec|sudo|time|timeout|nohup|command|xargs|nice|then|do|else|cmd|\/c)$/i;

/** True if the word is in the position of a program's name. */
export function isProgram(words: readonly string[], index: number): boolean {
  let at = index - 1;
  while (/^(?:\w+=|-|\d+[smh]?$)/.test(words[at] ?? '')) at -= 1;
  const before = words[at];
  return before === undefined || /^[;&|(]$/.test(before) || WRAPPER.test(before);
}

const ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.tsx', '.jsx', '.json', '.node'];

/** The files that a path without an extension may refer to. */
export function moduleCandidates(path: string): readonly string[] {
  return [...ENDINGS.map((ending) => `${path}${ending}`), ...ENDINGS.map((ending) => `${path}/index${ending}`)];
}

/** The files that a package.json declares to be run, relative to it. */
export function filesOfPackage(text: string): readonly string[] {
  try {
    const { main, module, bin } = (JSON.parse(text) ?? {}) as Record<string, unknown>;
    const bins = typeof bin === 'object' && bin !== null ? Object.values(bin) : [bin];
    return [main, module, ...bins].filter((one) => typeof one === 'string').slice(0, 20);
  } catch {
    return [];
  }
}

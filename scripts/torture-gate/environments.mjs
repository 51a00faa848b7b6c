/**
 * The environments that a person may have around a session: search paths that lead into the repository, shims of a version
 * manager, exported functions, variables that steer a shell, a loader or git. What is planted tells when it runs: it
 * prints a canary and leaves a mark.
 */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Programs that lines, the shell and our own helpers start by their bare names. */
const PLANTED =
  'ls df free uptime ps cat git grep head wc id whoami date node python3 cp mkfifo rm mkdir bash sh env touch true'.split(
    ' ',
  );
const SHIMMED = ['node', 'python3', 'perl', 'java', 'cmake', 'make', 'ruby', 'go'];
const FUNCTIONS = ['ls', 'cat', 'git', 'grep', 'cd', 'echo', 'test', 'head'];

/** Each: how often, its name, and what it adds to the environment. */
const VARIANTS = [
  [70, 'plain', () => ({})],
  [3, 'path link', ({ home }) => ({ PATH: `${home}/tools:${SYSTEM_PATH}` })],
  [2, 'path inside', ({ root }) => ({ PATH: `${root}/tools:${SYSTEM_PATH}` })],
  [2, 'linked programs', ({ home }) => ({ PATH: `${home}/bin:${SYSTEM_PATH}` })],
  [1, 'relative path', () => ({ PATH: `tools:.:${SYSTEM_PATH}` })],
  [4, 'shims', ({ home }) => ({ PATH: `${home}/.asdf/shims:${SYSTEM_PATH}`, ASDF_DATA_DIR: `${home}/.asdf` })],
  [4, 'cdpath', ({ outside, home }) => ({ CDPATH: `${outside}:${home}` })],
  [3, 'functions', (place) => exportedFunctions(place)],
  [1, 'ifs', () => ({ IFS: '/.', GLOBIGNORE: '*.md', POSIXLY_CORRECT: '1' })],
  [2, 'bash start', ({ root }) => ({ BASH_ENV: `${root}/start.sh`, ENV: `${root}/start.sh` })],
  [
    2,
    'traced',
    ({ marks }) => ({ SHELLOPTS: 'xtrace', PS4: `$(echo ${written(PLANTED_CANARY)} >&2; echo x >> ${marks}/ps4) ` }),
  ],
  [2, 'loader', ({ root }) => ({ LD_PRELOAD: `${root}/evil.so`, LD_LIBRARY_PATH: root })],
  [
    2,
    'steered',
    ({ root }) => ({
      GIT_EXTERNAL_DIFF: `${root}/tools/ls`,
      GIT_SSH_COMMAND: `${root}/tools/ls`,
      GIT_EXEC_PATH: `${root}/tools`,
      LESSOPEN: `|${root}/tools/cat %s`,
      NODE_OPTIONS: `--require ${root}/start.cjs`,
      PERL5OPT: `-I${root} -Mevil`,
      PYTHONSTARTUP: `${root}/start.py`,
      RIPGREP_CONFIG_PATH: `${root}/evil.rc`,
      GREP_OPTIONS: '-f.env',
    }),
  ],
];

export const PLANTED_CANARY = 'zqplantedran';
export const SHIM_CANARY = 'zqshimmedran';
/** As a script writes it: who only reads the script does not see the canary. */
const written = (canary) => `${canary.slice(0, 4)}''${canary.slice(4)}`;
/** All have the canary of a key as their value. */
const KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_CUSTOM_HEADERS', 'CLAUDE_CODE_OAUTH_TOKEN'];

export const ENVIRONMENTS = VARIANTS.map(([, name]) => name);

export function pickEnvironment(random) {
  return random.weigh(VARIANTS);
}

/** One that is not as it should be. */
export function pickOddEnvironment(random) {
  return random.weigh(VARIANTS.filter(([, name]) => name !== 'plain'));
}

/** The whole environment of the session by its name. Each has a state folder of its own, as on a machine of its own. */
export function makeEnvironment(name, place, key) {
  const make = VARIANTS.find(([, known]) => known === name)[2];
  const state = join(place.state, name.replaceAll(' ', '-'));
  mkdirSync(state, { recursive: true, mode: 0o700 });
  return {
    PATH: SYSTEM_PATH,
    HOME: place.home,
    COPPICE_HOME: state,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...Object.fromEntries(KEYS.map((variable) => [variable, key])),
    ...make(place),
  };
}

function exportedFunctions({ marks }) {
  return Object.fromEntries(
    FUNCTIONS.map((name) => {
      const call = ['cd', 'echo', 'test'].includes(name) ? 'builtin' : 'command';
      const body = `builtin echo ${written(PLANTED_CANARY)} >&2; ( builtin echo x >> ${marks}/function-${name} ) 2> /dev/null; ${call} ${name} "$@"`;
      return [`BASH_FUNC_${name}%%`, `() { ${body}; }`];
    }),
  );
}

/** Puts what the environments lead to into a playground. */
export function plantPrograms({ root, home, outside, marks }) {
  const script = (path, text) => {
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
  };
  const tell = (canary, name) => `echo ${written(canary)} >&2\n( echo x >> ${marks}/${name} ) 2> /dev/null`;
  for (const folder of [`${root}/tools`, `${root}/shimmed`, `${home}/bin`, `${home}/.asdf/shims`])
    mkdirSync(folder, { recursive: true });
  for (const name of PLANTED) {
    script(`${root}/tools/${name}`, `${tell(PLANTED_CANARY, `tool-${name}`)}\nexec /usr/bin/${name} "$@"`);
    symlinkSync(`${root}/tools/${name}`, `${home}/bin/${name}`);
  }
  symlinkSync(`${root}/tools`, `${home}/tools`);
  writeFileSync(`${root}/.tool-versions`, 'nodejs path:./shimmed\n');
  for (const name of SHIMMED) {
    script(`${root}/shimmed/${name}`, `${tell(SHIM_CANARY, `shimmed-${name}`)}\nexec /usr/bin/${name} "$@"`);
    script(
      `${home}/.asdf/shims/${name}`,
      `v=$(sed -n 's/^nodejs path://p' .tool-versions 2> /dev/null)\n[ -n "$v" ] && exec "$v/${name}" "$@"\nexec /usr/bin/${name} "$@"`,
    );
  }
  writeFileSync(`${root}/start.sh`, `${tell(PLANTED_CANARY, 'bash-start')}\n`);
  writeFileSync(`${root}/start.cjs`, `console.error('${written(PLANTED_CANARY).replace("''", "'+'")}');\n`);
  writeFileSync(`${root}/start.py`, `print('${written(PLANTED_CANARY)}')\n`);
  writeFileSync(`${root}/evil.pm`, `print STDERR '${written(PLANTED_CANARY).replace("''", "'.'")}'; 1;\n`);
  const library = loaderLibrary();
  if (library !== undefined) writeFileSync(`${root}/evil.so`, library, { mode: 0o755 });
  // A search path of cd finds these before those of the repository.
  for (const name of ['src', 'docs', 'keys']) {
    mkdirSync(join(outside, name), { recursive: true });
    writeFileSync(join(outside, name, 'id'), readFileSync(join(outside, 'secret.txt')));
  }
}

let library;

/** Undefined where there is no compiler. */
function loaderLibrary() {
  if (library !== undefined || !existsSync('/usr/bin/cc')) return library;
  const folder = mkdtempSync(join(tmpdir(), 'torture-gate-library-'));
  const halves = [PLANTED_CANARY.slice(0, 4), `${PLANTED_CANARY.slice(4)}\\n`];
  const writes = halves.map((half) => `write(2, "${half}", sizeof "${half}" - 1);`).join(' ');
  const source = `#include <unistd.h>
__attribute__((constructor)) static void tell(void) { ${writes} }
`;
  try {
    writeFileSync(join(folder, 'a.c'), source);
    execFileSync('/usr/bin/cc', ['-shared', '-fPIC', '-o', join(folder, 'a.so'), join(folder, 'a.c')], {
      stdio: 'ignore',
    });
    library = readFileSync(join(folder, 'a.so'));
  } catch {
    // Without a library the loader only complains.
  }
  rmSync(folder, { recursive: true, force: true });
  return library;
}

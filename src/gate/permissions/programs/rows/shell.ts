/** The shell's builtins, and the shells. */

import { examineCd, examineCommandQuery, examinePrintf, examineTest } from '../examine/builtins.js';
import { objectToOption, objectToTest } from '../examine/objections.js';
import { each } from '../make-rows.js';
import type { Program } from '../program.js';
import { setsDeclared, setsNamed, setsPrinted } from '../set-names.js';
import { wrapsAfter, wrapsCommand, wrapsEval, wrapsShell } from '../wrapped.js';

const PRINTS: Program = { reads: () => ({ reads: true, problems: [], paths: [] }), confined: 'any', texts: '=' };
const DECLARES: Program = { confined: 'any', sets: setsDeclared, shell: true };
const LINES: Program = {
  confined: objectToOption(/^-[a-zA-Z]*[Cc]/, 'it runs a command for the lines it reads'),
  sets: setsNamed(/^-[dnOstu]$/),
  shell: true,
  launches: true,
};
const PLAIN_VERSION = { words: ['--version'], where: 'anywhere' } as const;

export const SHELL: Readonly<Record<string, Program>> = {
  ...each('echo :', PRINTS),
  printf: { reads: examinePrintf, confined: 'any', sets: setsPrinted, texts: '=' },
  test: { reads: (words) => examineTest(words, words.length), confined: objectToTest },
  '[': { reads: (words) => examineTest(words, words.length - 1), confined: objectToTest },
  cd: {
    reads: examineCd,
    confined: (words) => (words.length < 2 ? 'cd without a path goes to the home folder' : undefined),
  },
  command: { reads: examineCommandQuery, wraps: wrapsCommand },
  builtin: { wraps: wrapsAfter({}), shell: true },
  exec: { confined: () => 'exec replaces the shell', wraps: wrapsAfter({ flags: 'cl', valued: 'a' }), shell: true },
  eval: { confined: () => 'eval reads its words as a command once more', wraps: wrapsEval, shell: true },
  time: { wraps: wrapsAfter({ flags: 'p' }) },
  // A keyword; after an assignment it is the name of a program, at least in bash.
  '!': { wraps: wrapsAfter({}) },
  ...each('shift return exit break continue wait set shopt', { confined: 'any', shell: true }),
  ulimit: {
    confined: (words) =>
      words.slice(1).every(({ value }) => /^-[HS]*a?$/.test(value ?? '')) ? undefined : 'it sets a limit',
    shell: true,
  },
  ...each(
    `unalias enable compopt hash pushd popd dirs fc history jobs fg bg disown suspend umask getopts logout times caller let`,
    { shell: true },
  ),
  ...each('trap coproc bind complete compgen', { shell: true, wraps: 'unclear' }),
  alias: { shell: true, wraps: 'unclear' },
  read: { confined: 'any', sets: setsNamed(/^-[adinNptu]$/), shell: true },
  ...each('mapfile readarray', LINES),
  unset: { confined: 'any', sets: setsNamed(/^$/), shell: true },
  ...each('local declare typeset readonly export', DECLARES),
  ...each('source .', { runs: 'shell', shell: true }),
  ...each('sh bash dash', { runs: 'shell', wraps: wrapsShell, versions: PLAIN_VERSION }),
  ...each('zsh ksh mksh ash rbash yash', { runs: 'shell', wraps: wrapsShell, versions: PLAIN_VERSION }),
  ...each('fish csh tcsh pwsh rc es nu elvish xonsh', { runs: 'shell' }),
};

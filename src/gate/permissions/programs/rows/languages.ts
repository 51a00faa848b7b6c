/** Interpreters: programs whose words, scripts or input are code. */

import { each } from '../make-rows.js';
import type { Program } from '../program.js';

const CODE: Program = { runs: 'code' };
const ALWAYS: Program = { runs: 'code', code: 'operands' };

const anywhere = (...words: readonly string[]) => ({ words, where: 'anywhere' }) as const;
const trusted = (...words: readonly string[]) => ({ words, where: 'trusted' }) as const;
const ASKED = trusted('--version', '-V', '--help');

export const LANGUAGES: Readonly<Record<string, Program>> = {
  python3: {
    runs: 'code',
    prefixes: ['SCRIPT', '-m TOOL'],
    versions: anywhere('--version', '-V'),
  },
  ...each('pypy3 ipython', CODE),
  perl: { runs: 'code', prefixes: ['SCRIPT'], versions: anywhere('--version', '-v') },
  ruby: { runs: 'code', prefixes: ['SCRIPT'], versions: ASKED },
  php: { runs: 'code', prefixes: ['SCRIPT'], versions: ASKED },
  ...each(
    `lua luajit r rscript Rscript R julia ghci runghc irb jshell swipl clojure clj sbcl racket guile octave m4 osascript groovy
    raku rakudo crystal gnuplot tcc cling maxima sage gp ocaml utop jruby janet fennel newlisp`,
    CODE,
  ),
  ...each('scala kotlin elixir erl dart ghc', { runs: 'code', versions: ASKED }),
  ...each('tclsh wish ed ex vi view emacs nano', ALWAYS),
  expect: { ...ALWAYS, wraps: 'unclear' },
  ...each('vim nvim', { ...ALWAYS, versions: anywhere('--version') }),
  ...each('sqlite3 psql mysql redis-cli', { runs: 'code', versions: anywhere('--version') }),
  ...each('mariadb mongosh mongo duckdb cqlsh clickhouse-client', CODE),
  node: { runs: 'code', prefixes: ['SCRIPT'], versions: anywhere('--version', '-v') },
  nodejs: CODE,
  // It leaves a file in /tmp.
  java: { runs: 'code', versions: { words: ['-version', '--version'], where: 'trusted' } },
  ...each('tsx ts-node', { runs: 'code', prefixes: ['SCRIPT'] }),
  deno: {
    runs: 'code',
    prefixes: ['check', 'fmt', 'lint', 'test', 'task NAME'],
    versions: ASKED,
  },
};

/** Random command lines built from the shell's grammar, around programs whose runs can be watched. */

import fc from '../../../support/fast-check.js';

/** Watched programs. `evil` is the one that rules deny. */
export const WATCHED = ['aa', 'bb', 'evil'] as const;

export type Made = {
  readonly text: string;
  /** A name or a text in it is computed by the shell, so that only asking can be expected, not denying. */
  readonly computed: boolean;
};

const plain = (text: string): Made => ({ text, computed: false });
const join = (parts: readonly Made[], by: string): Made => ({
  text: parts.map((part) => part.text).join(by),
  computed: parts.some((part) => part.computed),
});
const wrap = (inner: Made, make: (text: string) => string, computed = false): Made => ({
  text: make(inner.text),
  computed: computed || inner.computed,
});

const word = fc.constantFrom(
  'x',
  'y1',
  '-v',
  '--flag=1',
  "'a b'",
  '"c d"',
  'e\\ f',
  "''",
  'a"b"\'c\'',
  '"$"',
  '~x~',
  'a#b',
  'k=v',
  '"#"',
  'é',
);
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WATCHED) },
  { weight: 1, arbitrary: fc.constantFrom('e"vi"l', "e'v'il", 'ev\\il', '\\evil', '"aa"', 'b""b', 'ev\\\nil') },
);
const redirect = fc.constantFrom(
  '',
  '',
  '',
  '',
  ' >/dev/null',
  ' 2>&1',
  ' >out',
  ' 2>>log',
  ' <in',
  ' <<< text',
  ' &>/dev/null',
  ' >&2',
  ' 2>/dev/null >&2',
);
const prefix = fc.constantFrom('', '', '', '', 'V=1 ', 'CI=1 ', 'V="a b" ', 'V=$(evil sub) ');

const simple: fc.Arbitrary<Made> = fc
  .tuple(prefix, name, fc.array(word, { maxLength: 3 }), redirect)
  .map(([before, program, words, after]) => plain(`${before}${[program, ...words].join(' ')}${after}`));

const reader: fc.Arbitrary<Made> = fc
  .constantFrom('echo hi', 'cat in', 'true', 'pwd', 'cat < in', "printf '%s' evil", 'echo evil', 'ls')
  .map(plain);

const single = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export const commandLine: fc.Arbitrary<Made> = fc.letrec<{ line: Made }>((tie) => {
  const line = tie('line');
  const list = fc
    .tuple(line, fc.constantFrom(' ; ', ' && ', ' || ', ' | ', '\n', ' |& ', ' & ', ' # note\n', ';', '&&'), line)
    .map(([left, by, right]) => join([left, right], by));
  const runner = fc
    .tuple(
      fc.constantFrom(
        'env ',
        'env A=1 ',
        'timeout 5 ',
        'nice -n 1 ',
        'nohup ',
        'command ',
        'env -i PATH="$PATH" ',
        'time ',
        '! ',
        'nice timeout 5 ',
        'stdbuf -o0 ',
      ),
      simple,
    )
    .map(([by, inner]) => wrap(inner, (text) => (/^[A-Z]+=/.test(text) ? text : `${by}${text}`)));
  const nested = fc
    .tuple(
      fc.constantFrom<(text: string) => string>(
        (text) => `(${text}\n)`,
        (text) => `{ ${text}\n}`,
        (text) => `! { ${text}\n}`,
        (text) => `time { ${text}\n}`,
        (text) => `if true; then ${text}\nfi`,
        (text) => `if false; then :; elif true; then ${text}\nelse :; fi`,
        (text) => `for i in 1; do ${text}\ndone`,
        (text) => `for i in 1; { ${text}\n}`,
        (text) => `for ((i = 0; i < 1; i++)); do ${text}\ndone`,
        (text) => `while true; do ${text}\nbreak; done`,
        (text) => `until ${text}\ndo break; done`,
        (text) => `select i in 1; do ${text}\nbreak; done <<< 1`,
        (text) => `case x in x) ${text}\n;; esac`,
        (text) => `case x in x) :;& y) ${text}\n;; esac`,
        (text) => `f() { ${text}\n}; f`,
        (text) => `function f { ${text}\n}; f`,
        (text) => `f() ( ${text}\n); f`,
        (text) => `echo $(${text}\n)`,
        (text) => `echo "$(${text}\n)"`,
        (text) => `echo \${nope:-$(${text}\n)}`,
        (text) => `V=$(${text}\n)`,
        (text) => `cat <(${text}\n)`,
        (text) => `[[ -n $(${text}\n) ]]`,
        (text) => `(( $(${text}\n echo 1) ))`,
        (text) => `echo $(( $(${text}\n echo 1) ))`,
      ),
      line,
      redirect,
    )
    .filter(([, inner]) => !inner.text.includes('EOF'))
    .map(([make, inner, after]) => wrap(inner, (text) => `${make(text)}${after}`));
  const body = line
    .filter((inner) => !inner.text.includes('EOF'))
    .map((inner) => wrap(inner, (text) => `cat <<EOF\n$(${text}\n)\nEOF\n`));
  const texts = fc
    .tuple(
      fc.constantFrom('sh -c ', 'bash -c ', 'eval ', 'bash <<< ', 'env sh -c ', 'timeout 5 bash -c ', 'trap -- '),
      line,
    )
    .filter(([, inner]) => inner.text.length < 200 && !/<<|<\(|\[\[|\|&|&>|é/.test(inner.text))
    .map(([by, inner]) => wrap(inner, (text) => `${by}${single(text)}${by.startsWith('trap') ? ' EXIT' : ''}`));
  const fed = fc
    .tuple(
      fc.constantFrom<(text: string) => string>(
        (text) => `bash <<'END'\n${text}\nEND\n`,
        (text) => `echo ${single(text)} | bash`,
        (text) => `echo x | xargs ${text}`,
        (text) => `find . -maxdepth 0 -exec ${text} \\;`,
      ),
      simple,
    )
    .filter(([, inner]) => /^[a-z]/.test(inner.text) && !/END|[<>\n]/.test(inner.text))
    .map(([make, inner]) => wrap(inner, make));
  const computed = fc
    .constantFrom(
      'x=evil; $x y',
      `x=ev; $\{x}il`,
      "$'\\x65vil' x",
      '{evil,x}',
      'eval "ev""il"',
      'x="evil x"; eval "$x"',
      'y=il; "ev$y"',
      `a=(evil x); "$\{a[@]}"`,
      '$(echo evil) x',
      '`echo evil`',
      "printf 'evil x' | sh",
    )
    .map((text): Made => ({ text, computed: true }));
  return {
    line: fc.oneof(
      { weight: 5, arbitrary: simple },
      { weight: 2, arbitrary: reader },
      { weight: 3, arbitrary: list },
      { weight: 2, arbitrary: runner },
      { weight: 4, arbitrary: nested },
      { weight: 1, arbitrary: body },
      { weight: 2, arbitrary: texts },
      { weight: 1, arbitrary: fed },
      { weight: 1, arbitrary: computed },
    ),
  };
}).line;

/** Tokens in any order, sense or not: where a parser and bash may part ways. */
export const tokenSoup: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('aa', 'bb', 'evil', 'aa ', 'bb ', 'evil ', ' evil') },
      { weight: 3, arbitrary: fc.constantFrom(' ', ' ', '\n', ';', '&', '|', '&&', '||', '\t', '|&', '; ', ' | ') },
      { weight: 2, arbitrary: fc.constantFrom('"', "'", '\\', '\\\n', '#', ' #', '$', '`', '!', '~', '=', ',', '..') },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          '(',
          ')',
          '{',
          '}',
          '{ ',
          ' }',
          '[',
          ']',
          '[[',
          ']]',
          '((',
          '))',
          '$(',
          '${',
          '<(',
          "$'",
          '$"',
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '<',
          '>',
          '>>',
          '<<E\n',
          '\nE\n',
          "<<'E'\n",
          '<<<',
          '>&',
          '2>&1',
          '&>',
          '<>',
          '>|',
          '<<-E\n',
          '\\\nE\n',
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'if ',
          'then ',
          'fi',
          'for ',
          'in ',
          'do ',
          'done',
          'case ',
          'esac',
          'time ',
          'coproc ',
          'function ',
          '() ',
          'x=',
          'x=1 ',
          '\r',
          '\u00a0',
          'else ',
          '! ',
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom('echo ', 'cat in ', 'eval ', 'sh -c ', 'env ', 'command ', 'true', 'printf %s '),
      },
    ),
    { minLength: 1, maxLength: 14 },
  )
  .map((tokens) => tokens.join(''));

/** Readers whose arguments need more than a list of options: search, find, sed, jq, tests, and shell builtins. */

import type { Finding, PathUse } from '../shell/finding.js';
import { type OptionSpec, type Problem, readOptions } from '../shell/read-options.js';
import { isSafeSedScript } from './sed-script.js';
import { examineAwk, examineLess } from './text-readers.js';

/** Undefined: not a form known to read. */
type Examine = (words: readonly string[]) => Finding | undefined;

export const SPECIAL_READERS: Readonly<Record<string, Examine>> = {
  echo: () => ({ reads: true, problems: [], paths: [] }),
  ':': () => ({ reads: true, problems: [], paths: [] }),
  printf: examinePrintf,
  date: examineDate,
  test: (words) => examineTest(words, words.length),
  '[': (words) => examineTest(words, words.length - 1),
  cd: examineCd,
  command: examineCommandQuery,
  grep: (words) => examineSearch(words, GREP, 'e', isRecursiveGrep),
  egrep: (words) => examineSearch(words, GREP, 'e', isRecursiveGrep),
  fgrep: (words) => examineSearch(words, GREP, 'e', isRecursiveGrep),
  rg: (words) => examineSearch(words, RG, 'e', () => true),
  find: examineFind,
  fd: (words) => examineSearch(words, FD, '', () => true, 'read'),
  fdfind: (words) => examineSearch(words, FD, '', () => true, 'read'),
  sed: examineSed,
  awk: examineAwk,
  gawk: examineAwk,
  mawk: examineAwk,
  less: examineLess,
  jq: examineJq,
};

function read(path: string, at: number): PathUse {
  return { at, path, use: 'read' };
}

const GREP: OptionSpec = {
  flags: 'EFGPivwxyclLohHnqsbTZzaIUr',
  valued: 'emABC',
  longs:
    'extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count files-with-matches files-without-match only-matching no-filename with-filename line-number quiet silent no-messages byte-offset text recursive null null-data line-buffered initial-tab help version',
  longValued: 'regexp max-count after-context before-context context include exclude exclude-dir label binary-files',
  longOptional: 'color colour',
  digits: true,
};

const RG: OptionSpec = {
  flags: 'abcFHhiIlnNopPqsSUvVwxu.0',
  valued: 'ABCdeEgjmMrtT',
  longs:
    'byte-offset case-sensitive column count count-matches crlf debug files files-with-matches files-without-match fixed-strings glob-case-insensitive heading no-heading hidden no-hidden ignore-case invert-match json line-number no-line-number line-regexp max-columns-preview multiline multiline-dotall no-config no-filename no-ignore no-ignore-dot no-ignore-global no-ignore-parent no-ignore-vcs no-messages no-unicode null null-data one-file-system only-matching passthru pcre2 pretty quiet smart-case stats text trim type-list unrestricted version vimgrep with-filename word-regexp help',
  longValued:
    'after-context before-context context color colors context-separator encoding engine glob iglob max-columns max-count max-depth max-filesize regexp replace sort sortr threads type type-not type-add type-clear path-separator',
};

const FD: OptionSpec = {
  // `-l` runs ls.
  flags: 'HIusiFgap01q',
  valued: 'dtecESo',
  longs:
    'hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case fixed-strings glob absolute-path full-path print0 quiet help version',
  longValued:
    'max-depth min-depth exact-depth type extension exclude size color max-results changed-within changed-before',
};

function isRecursiveGrep(options: readonly { name: string }[]): boolean {
  return options.some((option) => option.name === 'r' || option.name === 'recursive');
}

function examineSearch(
  words: readonly string[],
  spec: OptionSpec,
  patternOption: string,
  recursive: (options: readonly { name: string }[]) => boolean,
  use: PathUse['use'] = 'contents',
): Finding {
  const { operands, options, problems } = readOptions(words, 1, spec);
  const names = new Set(options.map((option) => option.name));
  const givesPattern = (patternOption !== '' && names.has(patternOption)) || names.has('regexp') || names.has('files');
  const layout = givesPattern ? operands : operands.slice(1);
  const deep = recursive(options);
  const skipsHidden =
    spec === RG && !options.some(({ name }) => /^(?:hidden|u|unrestricted|\.)$|^no-ignore/.test(name));
  const paths = layout
    .filter(({ value }) => value !== '-')
    .map(({ value, at }): PathUse => ({ at, path: value, use: deep ? use : 'read', skipsHidden }));
  if (layout.length === 0 && deep) paths.push({ at: 0, path: '.', use, skipsHidden });
  return { reads: true, problems, paths };
}

const FIND_PLAIN = new Set(
  `-print -print0 -ls -prune -quit -empty -true -false -not -a -and -o -or ! ( ) , -depth -mount -xdev -daystart -noleaf
  -readable -writable -executable -nouser -nogroup -warn -nowarn -ignore_readdir_race`.split(/\s+/),
);
const FIND_VALUED = new Set(
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -mtime
  -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -inum -lname -ilname -printf -used -fstype -newermt -newerct -newerat`.split(
    /\s+/,
  ),
);

function examineFind(words: readonly string[]): Finding {
  const problems: Problem[] = [];
  const paths: PathUse[] = [];
  let at = 1;
  while (/^-[HP]$/.test(words[at] ?? '')) at += 1;
  for (; at < words.length && !/^[-(!,]/.test(words[at] ?? ''); at += 1)
    paths.push({ at, path: words[at] ?? '', use: 'read' });
  if (paths.length === 0) paths.push({ at: 0, path: '.', use: 'read' });
  for (; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (FIND_PLAIN.has(word)) continue;
    if (FIND_VALUED.has(word) && at + 1 < words.length) at += 1;
    else problems.push({ at, reason: `find's ${word} is not known to be harmless` });
  }
  return { reads: true, problems, paths };
}

const SED: OptionSpec = {
  flags: 'nErsuz',
  valued: 'el',
  longs: 'quiet silent regexp-extended separate unbuffered null-data posix debug sandbox help version',
  longValued: 'expression line-length',
};

function examineSed(words: readonly string[]): Finding {
  const { operands, options, problems } = readOptions(words, 1, SED);
  const given = options.filter((option) => option.name === 'e' || option.name === 'expression');
  const scripts = given.length > 0 ? given : operands.slice(0, 1);
  const files = given.length > 0 ? operands : operands.slice(1);
  const unsafe = scripts
    .filter(({ value }) => !isSafeSedScript(value))
    .map(({ at }): Problem => ({ at, reason: 'this sed script is not known to only print' }));
  return {
    reads: true,
    problems: [...problems, ...unsafe],
    paths: files.filter(({ value }) => value !== '-').map(({ value, at }) => read(value, at)),
  };
}

const JQ: OptionSpec = {
  flags: 'rcjaSCMsneR',
  longs:
    'raw-output compact-output join-output ascii-output sort-keys color-output monochrome-output slurp null-input exit-status raw-input tab help version',
};

function examineJq(words: readonly string[]): Finding {
  const { operands, problems } = readOptions(withoutArguments(words), 1, JQ);
  const [filter, ...files] = operands;
  // Filters can read the environment and other files.
  const odd =
    filter !== undefined &&
    /\b(?:env|ENV|import|include|input_filename|modulemeta|get_search_list)\b|\$__/.test(filter.value);
  const problem = { at: filter?.at ?? 0, reason: 'this jq filter may read more than its input' };
  return {
    reads: true,
    problems: odd ? [...problems, problem] : problems,
    paths: files.map(({ value, at }) => read(value, at)),
  };
}

/** `--arg name value` takes two words; it is replaced by an option without a value, so that every index stays. */
function withoutArguments(words: readonly string[]): readonly string[] {
  const given = [...words];
  for (let at = 1; at < given.length && given[at] !== '--'; at += 1) {
    const isIndent = given[at] === '--indent' && /^\d$/.test(given[at + 1] ?? '');
    const isArgument = /^--arg(?:json)?$/.test(given[at] ?? '') && at + 2 < given.length;
    const values = isArgument ? 2 : isIndent ? 1 : 0;
    if (values > 0) given.fill('--tab', at, at + values + 1);
    at += values;
  }
  return given;
}

function examinePrintf(words: readonly string[]): Finding {
  const at = words[1] === '--' ? 2 : 1;
  const format = words[at] ?? '';
  const option = at === 1 && format.startsWith('-');
  // %n stores into a variable, whose name may run a command.
  const stores = /%[^%A-Za-z]*(?:[hlLjzt]*)n/.test(format);
  const problems = option || stores ? [{ at, reason: 'printf may set a variable here' }] : [];
  return { reads: true, problems, paths: [] };
}

const DATE: OptionSpec = {
  flags: 'uR',
  valued: 'dr',
  optional: 'I',
  longs: 'utc universal rfc-email help version',
  longValued: 'date rfc-3339 reference',
  longOptional: 'iso-8601',
};

function examineDate(words: readonly string[]): Finding {
  const { operands, options, problems } = readOptions(words, 1, DATE);
  const sets = operands
    .filter(({ value }) => !value.startsWith('+'))
    .map(({ at }): Problem => ({ at, reason: 'date sets the clock here' }));
  const files = options.filter(({ name }) => name === 'r' || name === 'reference');
  return { reads: true, problems: [...problems, ...sets], paths: files.map(({ value, at }) => read(value, at)) };
}

const TEST_FILES = new Set('-e -f -d -r -w -x -s -L -h -b -c -p -S -g -u -k -O -G -N'.split(' '));
const TEST_TWO_FILES = new Set(['-nt', '-ot', '-ef']);
const TEST_WORDS = new Set(['-n', '-z', '=', '==', '!=', '!', '-a', '-o', '-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

function examineTest(words: readonly string[], end: number): Finding {
  const problems: Problem[] = [];
  const paths: PathUse[] = [];
  if (words[0] === '[' && words[end] !== ']') problems.push({ at: 0, reason: '[ has no ] at its end' });
  for (let at = 1; at < end; at += 1) {
    const word = words[at] ?? '';
    const next = words[at + 1];
    if (TEST_FILES.has(word) && next !== undefined && at + 1 < end) {
      paths.push(read(next, at + 1));
      at += 1;
    } else if (TEST_TWO_FILES.has(word) && at > 1 && next !== undefined && at + 1 < end) {
      paths.push(read(words[at - 1] ?? '', at - 1), read(next, at + 1));
      at += 1;
    } else if (/^-/.test(word) && !TEST_WORDS.has(word))
      problems.push({ at, reason: `test's ${word} is not known to be harmless` });
    else if (word.includes('[')) problems.push({ at, reason: 'test may evaluate this word' });
  }
  return { reads: true, problems, paths };
}

function examineCd(words: readonly string[]): Finding {
  const at = words[1] === '--' ? 2 : 1;
  const path = words[at];
  if (path === undefined)
    return { reads: true, problems: [{ at: 0, reason: 'cd without a path goes to the home folder' }], paths: [] };
  if (path.startsWith('-') || words.length > at + 1 || path === '')
    return { reads: true, problems: [{ at, reason: 'it is unclear where cd goes' }], paths: [] };
  return { reads: true, problems: [], paths: [{ at, path, use: 'enter' }] };
}

function examineCommandQuery(words: readonly string[]): Finding {
  const asks = words[1] === '-v' || words[1] === '-V';
  if (asks) return { reads: true, problems: [], paths: [] };
  return {
    reads: false,
    problems: [{ at: words.length - 1, reason: 'command runs another program' }],
    paths: [],
    inner: 1,
  };
}

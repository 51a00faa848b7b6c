/** Searching: grep, rg, fd and find, in the forms that only read. */

import type { Finding, PathUse } from '../../shell/finding.js';
import { type OptionSpec, type Problem, readOptions } from '../../shell/read-options.js';

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

export function examineFind(words: readonly string[]): Finding {
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

export function examineGrep(words: readonly string[]): Finding {
  return examineSearch(words, GREP, 'e', isRecursiveGrep);
}

export function examineRg(words: readonly string[]): Finding {
  return examineSearch(words, RG, 'e', () => true);
}

export function examineFd(words: readonly string[]): Finding {
  return examineSearch(words, FD, '', () => true, 'read');
}

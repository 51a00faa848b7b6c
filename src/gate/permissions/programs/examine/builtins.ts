/** Shell builtins and small programs whose arguments need more than a list of options: printf, date, test, cd. */

import type { Finding, PathUse } from '../../shell/finding.js';
import { type OptionSpec, type Problem, readOptions } from '../../shell/read-options.js';

function read(path: string, at: number): PathUse {
  return { at, path, use: 'read' };
}

export function examinePrintf(words: readonly string[]): Finding {
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

export function examineDate(words: readonly string[]): Finding {
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

export function examineTest(words: readonly string[], end: number): Finding {
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

export function examineCd(words: readonly string[]): Finding {
  const at = words[1] === '--' ? 2 : 1;
  const path = words[at];
  if (path === undefined)
    return { reads: true, problems: [{ at: 0, reason: 'cd without a path goes to the home folder' }], paths: [] };
  if (path.startsWith('-') || words.length > at + 1 || path === '')
    return { reads: true, problems: [{ at, reason: 'it is unclear where cd goes' }], paths: [] };
  return { reads: true, problems: [], paths: [{ at, path, use: 'enter' }] };
}

/** `command -v name`. */
export function examineCommandQuery(words: readonly string[]): Finding | undefined {
  return words[1] === '-v' || words[1] === '-V' ? { reads: true, problems: [], paths: [] } : undefined;
}

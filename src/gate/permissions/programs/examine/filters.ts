/** sed and jq, in the forms that can only print. */

import type { Finding, PathUse } from '../../shell/finding.js';
import { type OptionSpec, type Problem, readOptions } from '../../shell/read-options.js';
import { isSafeSedScript } from './sed-script.js';

function read(path: string, at: number): PathUse {
  return { at, path, use: 'read' };
}

const SED: OptionSpec = {
  flags: 'nErsuz',
  valued: 'el',
  longs: 'quiet silent regexp-extended separate unbuffered null-data posix debug sandbox help version',
  longValued: 'expression line-length',
};

export function examineSed(words: readonly string[]): Finding {
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

const SED_EDITS: OptionSpec = {
  ...SED,
  valued: 'elf',
  optional: 'i',
  longValued: 'expression line-length file',
  longOptional: 'in-place',
  longs: `${SED.longs} follow-symlinks binary zero-terminated`,
};

/** Scripts that run, read or write something by themselves, and those in files. */
export function findSedRisks(words: readonly (string | undefined)[]): readonly Problem[] {
  const { operands, options } = readOptions(
    words.map((word) => word ?? ''),
    1,
    SED_EDITS,
  );
  const given = options.filter(({ name }) => /^(?:e|expression|f|file)$/.test(name));
  const scripts: readonly Script[] = given.length > 0 ? given : operands.slice(0, 1);
  return scripts
    .filter((script) => isFile(script) || !isSafeSedScript(script.value, true))
    .map((script) => ({
      at: script.at,
      reason: isFile(script)
        ? 'sed takes its script from a file'
        : 'this sed script may run a program or use another file',
    }));
}

type Script = { readonly value: string; readonly at: number; readonly name?: string };

function isFile(script: Script): boolean {
  return script.name === 'f' || script.name === 'file';
}

const JQ: OptionSpec = {
  flags: 'rcjaSCMsneR',
  longs:
    'raw-output compact-output join-output ascii-output sort-keys color-output monochrome-output slurp null-input exit-status raw-input tab help version',
};

export function examineJq(words: readonly string[]): Finding {
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

/** Finds the commands and texts that a wrapper runs in its own words: `timeout 5 npm test`, `find -exec`, `sh -c`. */

import { type OptionSpec, readOptions } from '../shell/read-options.js';
import type { ShellWord } from '../shell/reading/shell-reading.js';
import type { Wrapped } from './program.js';

type Words = readonly ShellWord[];

function wrapped(commands: readonly Words[], sets: readonly string[] = []): Wrapped {
  return { ok: true, commands: commands.filter((words) => words.length > 0), texts: [], sets };
}

function unclear(reason: string): Wrapped {
  return { ok: false, reason };
}

/** `own`: the number of its own words before the command. */
export function wrapsAfter(spec: OptionSpec, own = 0): (words: Words) => Wrapped {
  return (words) => {
    const at = skipOptions(words, spec);
    return typeof at === 'string' ? unclear(at) : wrapped([words.slice(at + own)]);
  };
}

/** The index after its options, or why that can't be told. */
function skipOptions(words: Words, spec: OptionSpec): number | string {
  const name = words[0]?.value ?? '';
  let at = 1;
  while (at < words.length) {
    const value = words[at]?.value;
    if (value === undefined) return isOption(words[at]) ? `an option of ${name} is computed` : at;
    if (value === '--') return at + 1;
    if (!value.startsWith('-')) return at;
    const next = words[at + 1];
    const { options, problems } = readOptions([name, value, ...(next === undefined ? [] : [next.value ?? ' '])], 1, {
      ...spec,
      stops: true,
    });
    if (value === '-' || problems.some((problem) => problem.at === 1)) return `${name}'s option ${value} is not known`;
    at += options.some((option) => option.apart === true) ? 2 : 1;
  }
  return at;
}

/** A computed word may be an option, unless its beginning is written. */
function isOption(word: ShellWord | undefined): boolean {
  return !/^["']?[\w./]/.test(word?.raw ?? '');
}

export function wrapsEnv(words: Words): Wrapped {
  const sets: string[] = [];
  let at = 1;
  for (; at < words.length; at += 1) {
    const { raw = '', value } = words[at] ?? {};
    const unset = /^(?:-u|--unset)$/.test(value ?? '')
      ? words[at + 1]?.value
      : /^(?:-u|--unset=)(\w+)$/.exec(value ?? '')?.[1];
    if (unset !== undefined) {
      sets.push(unset);
      if (/^(?:-u|--unset)$/.test(value ?? '')) at += 1;
      continue;
    }
    if (value === '--') continue;
    if (value?.startsWith('-') === true) return unclear(`env's option ${value} is not known`);
    const set = /^["']?([A-Za-z_]\w*)=/.exec(raw)?.[1] ?? /^([A-Za-z_]\w*)=/.exec(value ?? '')?.[1];
    if (set === undefined) break;
    sets.push(set);
  }
  return wrapped([words.slice(at)], sets);
}

const XARGS: OptionSpec = {
  flags: '0rtxo',
  valued: 'adEILnPs',
  optional: 'ie',
  longs: 'null no-run-if-empty verbose exit open-tty',
  longValued: 'max-args max-procs max-lines max-chars delimiter arg-file',
  longOptional: 'replace eof',
};

export function wrapsXargs(words: Words): Wrapped {
  const at = skipOptions(words, XARGS);
  if (typeof at === 'string') return unclear(at);
  const options = readOptions(
    words.slice(0, at).map(({ value }) => value ?? ' '),
    1,
    XARGS,
  ).options.filter(({ name }) => /^(?:I|i|replace)$/.test(name));
  const mark = options.at(-1)?.value || '{}';
  const replaces = options.length > 0;
  const command = replaces ? fillIn(words.slice(at), mark) : words.slice(at);
  // What it reads is added at the end.
  return wrapped([command.length === 0 || replaces ? command : [...command, COMPUTED]]);
}

const COMPUTED: ShellWord = { raw: '{}', value: undefined, plain: false, glob: false, home: false };

/** Words with a placeholder that is replaced at run time are computed. */
function fillIn(words: Words, mark: string): Words {
  return words.map((word) => (mark !== '' && word.value?.includes(mark) ? { ...word, value: undefined } : word));
}

export function wrapsFind(words: Words): Wrapped {
  const commands: Words[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const value = words[at]?.value;
    if (value === undefined || !/^-(?:exec|execdir|ok|okdir)$/.test(value)) continue;
    const end = words.findIndex((word, index) => index > at && (word.value === ';' || word.value === '+'));
    commands.push(fillIn(words.slice(at + 1, end < 0 ? undefined : end), '{}'));
    if (value.endsWith('dir') && commands.at(-1)?.[0]?.value === 'git')
      return unclear('it is unclear in which repository git runs');
    if (end >= 0) at = end;
  }
  return wrapped(commands);
}

/** `-x` and `-X` take all words up to `;`. */
export function wrapsFd(words: Words): Wrapped {
  const commands: Words[] = [];
  for (let at = 1; at < words.length && words[at]?.value !== '--'; at += 1) {
    const value = words[at]?.value ?? '';
    const attached = /^(?:-[a-zA-Z]*[xX](.+)|--exec(?:-batch)?=([\s\S]+))$/.exec(value);
    if (attached !== null) return unclear(`what ${words[0]?.value} runs is unclear`);
    if (!/^(?:-[a-zA-Z0-9]*[xX]|--exec|--exec-batch)$/.test(value)) continue;
    const end = words.findIndex((word, index) => index > at && word.value === ';');
    commands.push(
      words
        .slice(at + 1, end < 0 ? undefined : end)
        .map((word) => (/\{.*\}/.test(word.raw) ? { ...word, value: undefined } : word)),
    );
    if (end < 0) break;
    at = end;
  }
  return wrapped(commands);
}

/** `command -v` only asks. */
export function wrapsCommand(words: Words): Wrapped {
  return /^-[vV]$/.test(words[1]?.value ?? '') ? wrapped([]) : wrapsAfter({})(words);
}

/** Only a text written in the line can be looked into: no script, and nothing piped. */
export function wrapsShell(words: Words): Wrapped {
  const option = words[1]?.value ?? '';
  if (option === '-n' || option === '--version') return wrapped([]);
  const text = words[2]?.value;
  if (!/^-[eux]*c$/.test(option) || text === undefined)
    return unclear(`${words[0]?.value} runs a script that can't be seen`);
  return { ok: true, commands: [], texts: [text], sets: [] };
}

export function wrapsEval(words: Words): Wrapped {
  const values = words.slice(words[1]?.value === '--' ? 2 : 1).map(({ value }) => value);
  if (values.includes(undefined)) return unclear('the text that eval runs is computed');
  return { ok: true, commands: [], texts: [values.join(' ')], sets: [] };
}

/** `busybox ls`; without a name it lists its own. */
export function wrapsApplet(words: Words): Wrapped {
  return words[1]?.value?.startsWith('-') === true
    ? unclear(`${words[0]?.value}'s option ${words[1].value} is not known`)
    : wrapped([words.slice(1)]);
}

/** `flock file command`, `flock file -c text`. */
export function wrapsFlock(words: Words): Wrapped {
  const at = skipOptions(words, {
    flags: 'sexnuoFv',
    valued: 'wE',
    longs: 'shared exclusive nonblock nb unlock close no-fork verbose',
    longValued: 'timeout wait conflict-exit-code',
  });
  if (typeof at === 'string') return unclear(at);
  const text = /^(?:-c|--command)$/.test(words[at + 1]?.value ?? '') ? words[at + 2]?.value : undefined;
  if (text !== undefined) return { ok: true, commands: [], texts: [text], sets: [] };
  return words[at + 1]?.value?.startsWith('-') === true
    ? unclear('what flock runs is unclear')
    : wrapped([words.slice(at + 1)]);
}

/** It joins its words and gives them to a shell, unless told not to. */
export function wrapsWatch(words: Words): Wrapped {
  const at = skipOptions(words, {
    flags: 'dtbecgpxqCwrv',
    valued: 'nqs',
    longs: 'no-title beep errexit color chgexit precise exec no-wrap no-rerun no-color',
    longValued: 'interval equexit',
    longOptional: 'differences',
  });
  if (typeof at === 'string') return unclear(at);
  const values = words.slice(at).map(({ value }) => value);
  if (values.includes(undefined)) return wrapped([words.slice(at)]);
  return { ok: true, commands: [], texts: values.length === 0 ? [] : [values.join(' ')], sets: [] };
}

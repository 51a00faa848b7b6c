/** Reads a program's arguments against an allow list of options. No abbreviations, no unknown options. */

import { nameSet } from '../programs/name-set.js';

export type OptionSpec = {
  /** Single letters without a value. */
  readonly flags?: string;
  /** Single letters with a value, attached or in the next word. */
  readonly valued?: string;
  /** Single letters with a value only if attached. */
  readonly optional?: string;
  /** Long names without a value, space-separated, without the dashes. */
  readonly longs?: string;
  /** Long names with a value, attached by `=` or in the next word. */
  readonly longValued?: string;
  /** Long names with a value only if attached by `=`. */
  readonly longOptional?: string;
  /** True if `-5` is an option. */
  readonly digits?: boolean;
  /** True if the first operand ends the options, as before a script's own arguments. */
  readonly stops?: boolean;
};

export type Problem = {
  /** Index of the word: a rule covers it only if the rule's own text reaches this far. */
  readonly at: number;
  readonly reason: string;
  /** Only states that an option is not on the list. */
  readonly option?: true;
};

type Argument = { readonly value: string; readonly at: number };

export type GivenOption = Argument & {
  readonly name: string;
  /** The value is a separate word. */
  readonly apart?: true;
};

export type ReadOptions = {
  readonly operands: readonly Argument[];
  readonly options: readonly GivenOption[];
  readonly problems: readonly Problem[];
};

export function readOptions(words: readonly string[], from: number, spec: OptionSpec): ReadOptions {
  const operands: Argument[] = [];
  const options: GivenOption[] = [];
  const problems: Problem[] = [];
  const known = knownOptions(spec);
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') {
      for (let rest = at + 1; rest < words.length; rest += 1) operands.push({ value: words[rest] ?? '', at: rest });
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      operands.push({ value: word, at });
      if (spec.stops !== true) continue;
      for (let rest = at + 1; rest < words.length; rest += 1) operands.push({ value: words[rest] ?? '', at: rest });
      break;
    }
    if (spec.digits === true && /^-\d+$/.test(word)) continue;
    const taken = word.startsWith('--') ? readLong(words, at, known) : readCluster(words, at, known);
    if ('reason' in taken) problems.push({ at, reason: taken.reason, option: true });
    else {
      options.push(...taken.options);
      at = taken.last;
    }
  }
  return { operands, options, problems };
}

type Known = {
  readonly flags: string;
  readonly valued: string;
  readonly optional: string;
  readonly longs: ReadonlySet<string>;
  readonly longValued: ReadonlySet<string>;
  readonly longOptional: ReadonlySet<string>;
};

const KNOWN = new WeakMap<OptionSpec, Known>();

function knownOptions(spec: OptionSpec): Known {
  const cached = KNOWN.get(spec);
  if (cached !== undefined) return cached;
  const known = {
    flags: spec.flags ?? '',
    valued: spec.valued ?? '',
    optional: spec.optional ?? '',
    longs: nameSet(spec.longs),
    longValued: nameSet(spec.longValued),
    longOptional: nameSet(spec.longOptional),
  };
  KNOWN.set(spec, known);
  return known;
}

type Taken = { options: GivenOption[]; last: number } | { reason: string };

function readLong(words: readonly string[], at: number, known: Known): Taken {
  const word = words[at] ?? '';
  const equals = word.indexOf('=');
  const name = word.slice(2, equals < 0 ? undefined : equals);
  if (equals >= 0) {
    if (!known.longValued.has(name) && !known.longOptional.has(name)) return unknown(`--${name}`);
    return { options: [{ name, value: word.slice(equals + 1), at }], last: at };
  }
  if (known.longs.has(name) || known.longOptional.has(name)) return { options: [{ name, value: '', at }], last: at };
  const next = words[at + 1];
  if (!known.longValued.has(name) || next === undefined) return unknown(word);
  return { options: [{ name, value: next, at: at + 1, apart: true }], last: at + 1 };
}

function readCluster(words: readonly string[], at: number, known: Known): Taken {
  const letters = (words[at] ?? '').slice(1);
  const options: GivenOption[] = [];
  for (let index = 0; index < letters.length; index += 1) {
    const name = letters.charAt(index);
    if (known.flags.includes(name)) {
      options.push({ name, value: '', at });
      continue;
    }
    const attached = letters.slice(index + 1);
    if (known.optional.includes(name)) return { options: [...options, { name, value: attached, at }], last: at };
    if (!known.valued.includes(name)) return unknown(`-${name}`);
    if (attached !== '') return { options: [...options, { name, value: attached, at }], last: at };
    const next = words[at + 1];
    if (next === undefined) return unknown(`-${name} without its value`);
    return { options: [...options, { name, value: next, at: at + 1, apart: true }], last: at + 1 };
  }
  return { options, last: at };
}

function unknown(option: string): { reason: string } {
  return { reason: `its option ${option} is not known to be harmless` };
}

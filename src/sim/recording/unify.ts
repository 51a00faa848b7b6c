/**
 * Compares a recorded value with a current one, and determines the values of its placeholders. No backtracking: the
 * time is linear in the text. Pure.
 */

import { isObject } from '../json-value.js';
import { type KnownValues, namedValues } from './find-varying.js';
import { MARK, readTemplate, type Token } from './template-text.js';

/** The first difference between two values. */
export type Mismatch = {
  readonly path: readonly (string | number)[];
  readonly recorded: unknown;
  readonly now: unknown;
};

/** The values of placeholders in one replay. */
export class Bindings {
  readonly #values: Map<string, string>;

  constructor(known: KnownValues = {}) {
    this.#values = new Map(namedValues(known));
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  /** For a response. A secret that was never seen gets a dummy value. */
  valueOf = (name: string): string => this.get(name) ?? `coppice-${name}`;
}

/** The values found by a comparison; they apply once `keep` is called. */
export class Trial {
  readonly #bindings: Bindings;
  readonly #found = new Map<string, string>();

  constructor(bindings: Bindings) {
    this.#bindings = bindings;
  }

  get(name: string): string | undefined {
    return this.#found.get(name) ?? this.#bindings.get(name);
  }

  set(name: string, value: string): void {
    if (this.get(name) === undefined) this.#found.set(name, value);
  }

  keep(): void {
    for (const [name, value] of this.#found) this.#bindings.set(name, value);
  }
}

export function unify(
  recorded: unknown,
  now: unknown,
  trial: Trial,
  path: readonly (string | number)[] = [],
): Mismatch | undefined {
  if (typeof recorded === 'string' && typeof now === 'string') {
    return unifyText(recorded, now, trial) ? undefined : { path, recorded, now };
  }
  if (Array.isArray(recorded) && Array.isArray(now)) return unifyLists(recorded, now, trial, path);
  if (isObject(recorded) && isObject(now)) return unifyFields(recorded, now, trial, path);
  return Object.is(recorded, now) ? undefined : { path, recorded, now };
}

function unifyLists(recorded: unknown[], now: unknown[], trial: Trial, path: readonly (string | number)[]) {
  const length = Math.max(recorded.length, now.length);
  for (let index = 0; index < length; index += 1) {
    const [one, other] = [recorded[index], now[index]];
    if (index >= recorded.length || index >= now.length) return { path: [...path, index], recorded: one, now: other };
    const mismatch = unify(one, other, trial, [...path, index]);
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}

function unifyFields(
  recorded: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
  trial: Trial,
  path: readonly (string | number)[],
): Mismatch | undefined {
  const left = new Set(Object.keys(now));
  for (const [name, value] of Object.entries(recorded)) {
    const own = name.includes(MARK) ? [...left].find((key) => unifyText(name, key, trial)) : name;
    if (own === undefined || !left.delete(own)) return { path: [...path, name], recorded: value, now: undefined };
    const mismatch = unify(value, now[own], trial, [...path, own]);
    if (mismatch !== undefined) return mismatch;
  }
  const [more] = left;
  return more === undefined ? undefined : { path: [...path, more], recorded: undefined, now: now[more] };
}

/** True if a text may be what was recorded. */
export function unifyText(template: string, now: string, trial: Trial): boolean {
  if (!template.includes(MARK)) return template === now;
  const tokens = readCached(template);
  let at = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) continue;
    if (token.kind === 'place' && isOpen(token, trial)) {
      // Adjacent open placeholders can't be separated: the first gets everything.
      while (isOpenPlace(tokens[index + 1], trial)) index += 1;
      const next = tokens[index + 1];
      const isLast = next !== undefined && tokens.at(-1) === next;
      const end = next === undefined ? now.length : findNext(next, now, at + 1, isLast, trial);
      if (end === undefined || end <= at || !takeOpen(token, now.slice(at, end), trial)) return false;
      at = end;
      continue;
    }
    const end = matchAt(token, now, at, trial);
    if (end === undefined) return false;
    at = end;
  }
  return at === now.length;
}

/** True if it may be anything up to the following token. */
function isOpen({ name, row }: Extract<Token, { kind: 'place' }>, trial: Trial): boolean {
  return row.kind === 'secret' || (row.kind === 'value' && trial.get(name) === undefined);
}

function isOpenPlace(token: Token | undefined, trial: Trial): boolean {
  return token?.kind === 'place' && isOpen(token, trial);
}

const LONGEST_VALUE = 4096;

function takeOpen({ name, row }: Extract<Token, { kind: 'place' }>, value: string, trial: Trial): boolean {
  // A further line after a secret is not part of it.
  if (row.kind === 'secret' && shapeOf(row.shape ?? '', 'y').exec(value)?.[0] !== value) return false;
  if (row.kind === 'value' && (value.length > LONGEST_VALUE || /[\n"<>]/.test(value))) return false;
  trial.set(name, value);
  return true;
}

/** The end of the token if it starts here. */
function matchAt(token: Token, now: string, at: number, trial: Trial): number | undefined {
  const literal = token.kind === 'text' ? token.text : trial.get(token.name);
  if (literal !== undefined) return now.startsWith(literal, at) ? at + literal.length : undefined;
  if (token.kind === 'text') return undefined;
  const shape = shapeOf(token.row.shape ?? '', 'y');
  shape.lastIndex = at;
  const found = shape.exec(now)?.[0];
  if (found === undefined) return undefined;
  if (token.row.kind === 'id') trial.set(token.name, found);
  return at + found.length;
}

/** The next start of the token. The last one must end the text. */
function findNext(token: Token, now: string, from: number, isLast: boolean, trial: Trial): number | undefined {
  const literal = token.kind === 'text' ? token.text : trial.get(token.name);
  if (literal !== undefined) {
    if (isLast) {
      const start = now.length - literal.length;
      return now.endsWith(literal) && start >= from ? start : undefined;
    }
    const at = now.indexOf(literal, from);
    return at === -1 ? undefined : at;
  }
  if (token.kind === 'text') return undefined;
  const shape = shapeOf(token.row.shape ?? '', 'g');
  shape.lastIndex = from;
  return shape.exec(now)?.index;
}

const SHAPES = new Map<string, RegExp>();

function shapeOf(shape: string, flag: 'y' | 'g'): RegExp {
  const key = `${flag}${shape}`;
  const known = SHAPES.get(key) ?? new RegExp(shape, flag);
  known.lastIndex = 0;
  SHAPES.set(key, known);
  return known;
}

const READ = new Map<string, readonly Token[]>();
const MOST_READ = 2_000;

/** The same texts are part of every request. */
function readCached(template: string): readonly Token[] {
  const known = READ.get(template);
  if (known !== undefined) return known;
  const tokens = readTemplate(template);
  if (READ.size >= MOST_READ) READ.clear();
  READ.set(template, tokens);
  return tokens;
}

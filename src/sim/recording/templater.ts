/** Replaces varying values and secrets with placeholders. One instance per recording, because it assigns the numbers. */

import { isObject } from '../json-value.js';
import { findSecrets, formsOf, isSecretName, isSecretValue, SHORTEST_SECRET, type Span } from './find-secrets.js';
import { findCells, findIds, findOwnLines, findValues, type KnownValues, namedValues } from './find-varying.js';
import { MARK, placeholder } from './template-text.js';

type Replaced = Span & { readonly name: string };

export class Templater {
  #values: ReadonlyMap<string, string>;
  /** Secrets in all their forms. */
  readonly #secrets = new Set<string>();
  /** Numbers of ids and secrets, by family and value. */
  readonly #numbers = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #done = new Map<string, string>();

  constructor(known: KnownValues, secrets: Iterable<string> = []) {
    this.#values = namedValues(known);
    for (const secret of secrets) this.addSecret(secret);
  }

  /** Registers a secret, which is not written from now on. */
  addSecret(secret: string): void {
    if (secret.length < SHORTEST_SECRET || this.#secrets.has(secret)) return;
    for (const form of formsOf(secret)) this.#secrets.add(form);
    this.#done.clear();
  }

  /** Adds values that were unknown at the start. */
  addValues(known: KnownValues): void {
    this.#values = new Map([...namedValues(known), ...this.#values]);
    this.#done.clear();
  }

  /** Converts each text of a JSON value. `metadata` of a request is removed before. */
  ofValue(value: unknown, name = ''): unknown {
    if (typeof value === 'string')
      return isSecretField(name, value) ? placeholder(this.#secret(value)) : this.ofText(value);
    if (Array.isArray(value)) return value.map((item) => this.ofValue(item, name));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.ofText(key), this.ofValue(item, key)]));
  }

  ofText(text: string): string {
    const known = this.#done.get(text);
    if (known !== undefined) return known;
    const made = this.#make(text, (family, value) => this.#number(family, value), true);
    // The same text is part of every request of a conversation.
    if (this.#done.size >= MOST_CACHED) this.#done.clear();
    this.#done.set(text, made);
    return made;
  }

  /** Converts a model's text. Only ids from the request (`names`) are replaced; dates and times are the model's own. */
  ofReply(text: string, names: ReadonlySet<string>): string {
    const numberOf = (family: string, value: string) => {
      const name = this.#numbers.get(`${family} ${value}`);
      return name !== undefined && names.has(name) ? name : undefined;
    };
    return this.#make(text, numberOf, false);
  }

  /** Like `ofReply`, for each text of a JSON value. */
  ofReplyValue(value: unknown, names: ReadonlySet<string>, name = ''): unknown {
    if (typeof value === 'string') {
      return isSecretField(name, value) ? placeholder(this.#secret(value)) : this.ofReply(value, names);
    }
    if (Array.isArray(value)) return value.map((item) => this.ofReplyValue(item, names, name));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.ofReply(key, names), this.ofReplyValue(item, names, key)]),
    );
  }

  #make(text: string, numberOf: (family: string, value: string) => string | undefined, ownLines: boolean): string {
    const secrets = united(findSecrets(text, this.#secrets)).map((span) => ({
      ...span,
      name: this.#secret(text.slice(span.start, span.end)),
    }));
    const named = ({ family, ...span }: Span & { readonly family: string }) => {
      const name = numberOf(family, text.slice(span.start, span.end));
      return name === undefined ? [] : [{ ...span, name }];
    };
    const isCell = (value: string) => this.#numbers.has(`cell ${value}`);
    const found = [
      secrets,
      marks(text),
      ownLines ? findOwnLines(text) : [],
      ...findValues(text, this.#values),
      ...findIds(text).map((spans) => spans.flatMap(named)),
      findCells(text, isCell).flatMap(named),
    ];
    return replace(
      text,
      found.reduce<readonly Replaced[]>((taken, more) => addApart(taken, inOrder(more)), []),
    );
  }

  #secret(value: string): string {
    return this.#number(value.includes('\n') ? 'lines' : 'secret', value);
  }

  #number(family: string, value: string): string {
    const key = `${family} ${value}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const count = (this.#counts.get(family) ?? 0) + 1;
    this.#counts.set(family, count);
    const name = `${family}-${count}`;
    this.#numbers.set(key, name);
    return name;
  }
}

const MOST_CACHED = 20_000;

/** True for a field whose name indicates a secret value. */
function isSecretField(name: string, value: string): boolean {
  const isNamed = value.length >= SHORTEST_SECRET && isSecretName(name) && isSecretValue(name, value);
  return isNamed && !value.trimEnd().includes('\n');
}

function marks(text: string): Replaced[] {
  const spans: Replaced[] = [];
  for (let at = text.indexOf(MARK); at !== -1; at = text.indexOf(MARK, at + MARK.length)) {
    spans.push({ start: at, end: at + MARK.length, name: 'literal' });
  }
  return spans;
}

/** Joins spans that touch or overlap. */
function united(spans: readonly Span[]): Span[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** Adds spans that overlap none of the first. Both lists are sorted and without overlaps. */
function addApart(taken: readonly Replaced[], more: readonly Replaced[]): readonly Replaced[] {
  if (more.length === 0) return taken;
  const all: Replaced[] = [];
  let index = 0;
  for (const span of more) {
    for (let next = taken[index]; next !== undefined && next.end <= span.start; next = taken[index]) {
      all.push(next);
      index += 1;
    }
    const next = taken[index];
    if (next === undefined || next.start >= span.end) all.push(span);
  }
  return [...all, ...taken.slice(index)];
}

function inOrder(spans: readonly Replaced[]): readonly Replaced[] {
  return spans.toSorted((a, b) => a.start - b.start);
}

function replace(text: string, spans: readonly Replaced[]): string {
  let made = '';
  let at = 0;
  for (const { start, end, name } of spans) {
    made += text.slice(at, start) + placeholder(name);
    at = end;
  }
  return made + text.slice(at);
}

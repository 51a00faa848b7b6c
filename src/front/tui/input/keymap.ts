/** Maps keys to actions: the defaults, overridden by the user's bindings, and chords of two keys. */

import { realClock } from '../../../host/clock.js';
import { type Action, CONTEXTS, describeAction, type KeyContext } from './bindings/actions.js';
import { DEFAULT_BINDINGS } from './bindings/default-bindings.js';
import { parseTmuxKey } from './bindings/parse-keys.js';
import type { Binding } from './bindings/read-keybindings.js';
import type { KeyEvent } from './key-event.js';

/** Time limit for the second key of a chord. */
const CHORD_MS = 2000;

export type KeymapOptions = {
  readonly bindings?: readonly Binding[];
  /** The prefix key of a terminal multiplexer, in its notation (`C-b`). */
  readonly prefix?: string | undefined;
  readonly now?: () => number;
};

/** `chord`: the key belongs to a chord and does nothing else. */
export type Resolved = { readonly action: Action } | { readonly chord: true };

type Table = ReadonlyMap<string, Action | null>;

const DEFAULTS = new Map(CONTEXTS.map((context) => [context, defaultTable(context)]));

export class Keymap {
  readonly #own: ReadonlyMap<KeyContext, Table>;
  readonly #prefix: string | undefined;
  readonly #now: () => number;
  /** Cached, since hints read them with every frame. */
  readonly #known = new Map<Action, readonly string[]>();
  #pending: { readonly key: string; readonly until: number } | undefined;

  constructor({ bindings = [], prefix, now = () => realClock.elapsed() }: KeymapOptions = {}) {
    this.#own = new Map(
      CONTEXTS.map((context) => [
        context,
        new Map(bindings.filter((one) => one.context === context).map(({ keys, action }) => [keys, action])),
      ]),
    );
    this.#prefix = prefix === undefined ? undefined : parseTmuxKey(prefix);
    this.#now = now;
  }

  /** The first key of a chord, while the second is pending. */
  get pending(): string | undefined {
    return this.#pending !== undefined && this.#now() <= this.#pending.until ? this.#pending.key : undefined;
  }

  /** Undefined: unbound. A second key that completes no chord has its own meaning; Esc only leaves the chord. */
  resolve(context: KeyContext, event: KeyEvent): Resolved | undefined {
    if (event.kind !== 'key') return undefined;
    const first = this.pending;
    this.#pending = undefined;
    if (first !== undefined) {
      const action = this.#find(context, `${first} ${event.name}`);
      if (action !== undefined) return { action };
      if (event.name === 'esc') return { chord: true };
    }
    if (this.#beginsChord(context, event.name)) {
      this.#pending = { key: event.name, until: this.#now() + CHORD_MS };
      return { chord: true };
    }
    const action = this.#find(context, event.name);
    return action === undefined ? undefined : { action };
  }

  /**
   * For code that listens to fixed keys: the default key of the action that this key is bound to. Undefined: the user
   * unbound it here.
   */
  translate(context: KeyContext, event: KeyEvent): KeyEvent | undefined {
    if (event.kind !== 'key') return event;
    const action = this.#own.get(context)?.get(event.name);
    if (action === undefined) return event;
    const [key] = action === null ? [] : keysOf(DEFAULTS.get(context), action);
    if (key === undefined) return undefined;
    return [...key].length === 1 ? { kind: 'key', name: key, text: key } : { kind: 'key', name: key };
  }

  /** The key for a hint, as it is pressed: inside a multiplexer its prefix key goes twice. Empty: the action has no key. */
  keyOf(action: Action): string {
    return this.keysOf(action)[0] ?? '';
  }

  /** Every key of an action, the user's first. */
  keysOf(action: Action): readonly string[] {
    const known = this.#known.get(action) ?? this.#findKeys(action);
    this.#known.set(action, known);
    return known;
  }

  #findKeys(action: Action): readonly string[] {
    const own = CONTEXTS.flatMap((context) => keysOf(this.#own.get(context), action));
    const defaults = CONTEXTS.flatMap((context) =>
      keysOf(DEFAULTS.get(context), action).filter((keys) => this.#own.get(context)?.has(keys) !== true),
    );
    return [...new Set([...own, ...defaults])].map((keys) => this.#asPressed(keys));
  }

  /** The keys of a context, for the list of keys. */
  list(context: KeyContext): readonly { readonly keys: readonly string[]; readonly does: string }[] {
    const actions = new Set([...(DEFAULTS.get(context)?.values() ?? []), ...(this.#own.get(context)?.values() ?? [])]);
    return [...actions].flatMap((action) => {
      const keys = action === null ? [] : this.keysOf(action);
      return action === null || keys.length === 0 ? [] : [{ keys, does: describeAction(action) }];
    });
  }

  #find(context: KeyContext, keys: string): Action | undefined {
    for (const one of [context, 'global' as const]) {
      const own = this.#own.get(one)?.get(keys);
      const action = own === undefined ? DEFAULTS.get(one)?.get(keys) : own;
      // A key unbound here is unbound, even if it has a global meaning.
      if (action !== undefined) return action ?? undefined;
    }
    return undefined;
  }

  #beginsChord(context: KeyContext, key: string): boolean {
    const tables = [context, 'global' as const].flatMap((one) => [this.#own.get(one), DEFAULTS.get(one)]);
    return tables
      .flatMap((table) => [...(table?.keys() ?? [])])
      .some((keys) => keys.startsWith(`${key} `) && this.#find(context, keys) !== undefined);
  }

  #asPressed(keys: string): string {
    const twice = (key: string) => (key === this.#prefix ? `${key} ${key}` : key);
    return keys.split(' ').map(twice).join(' ');
  }
}

function defaultTable(context: KeyContext): Table {
  return new Map(
    DEFAULT_BINDINGS[context].flatMap(([action, keys]) => [keys].flat().map((one) => [one, action] as const)),
  );
}

function keysOf(table: Table | undefined, action: Action): string[] {
  return [...(table ?? [])].filter(([, one]) => one === action).map(([keys]) => keys);
}

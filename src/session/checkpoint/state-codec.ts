/**
 * Stores an agent's state as JSON and blocks, and restores it. One row per field: a new field of the state does not
 * compile without one. Blocks keep their bytes (DU-5); each is stored only once.
 */

import { type FrozenBlock, type FrozenMessage, thawBlock } from '../../protocol/frozen-block.js';
import { History } from '../../protocol/history.js';
import type { AgentState } from '../state/agent-state.js';

export type StoredState = {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly blocks: readonly Uint8Array[];
};

/** Undefined if the state refers to another agent's state, as that of a live fork does. */
export function storeState(state: AgentState): StoredState | undefined {
  if (!(state.callIds instanceof Set)) return undefined;
  const blocks = new BlockStore();
  const fields: Record<string, unknown> = {};
  for (const [name, codec] of entriesOf(CODECS)) fields[name] = codec.store(state[name], blocks);
  return { fields, blocks: blocks.bytes };
}

/** Throws if the input differs from the output of `storeState`. */
export function restoreState({ fields, blocks }: StoredState): AgentState {
  const frozen = blocks.map(thawBlock);
  const state: Partial<Record<keyof AgentState, unknown>> = {};
  for (const [name, codec] of entriesOf(CODECS)) state[name] = codec.restore(fields[name], frozen);
  return state as AgentState;
}

type Codec<T> = {
  store(value: T, blocks: BlockStore): unknown;
  restore(stored: unknown, blocks: readonly FrozenBlock[]): T;
};

class BlockStore {
  readonly bytes: Uint8Array[] = [];
  readonly #numbers = new Map<FrozenBlock, number>();

  /** Returns the number it is stored under. */
  add(block: FrozenBlock): number {
    const known = this.#numbers.get(block);
    if (known !== undefined) return known;
    this.#numbers.set(block, this.bytes.length);
    return this.bytes.push(block.bytes) - 1;
  }
}

/** Stored unchanged: JSON can represent it. */
const plain: Codec<never> = { store: (value) => value, restore: (stored) => stored as never };

function setOf<T>(): Codec<Set<T>> {
  return { store: (set) => [...set], restore: (stored) => new Set(listed(stored) as T[]) };
}

function mapOf<K, V>(values: Codec<V> = plain as Codec<V>): Codec<Map<K, V>> {
  return {
    store: (map, blocks) => [...map].map(([key, value]) => [key, values.store(value, blocks)]),
    restore: (stored, blocks) =>
      new Map(
        listed(stored).map((pair) => {
          const [key, value] = listed(pair);
          return [key as K, values.restore(value, blocks)];
        }),
      ),
  };
}

/** For values that contain blocks: the blocks are stored by number. */
function holding<T extends { readonly blocks: readonly FrozenBlock[] }>(): Codec<T> {
  return {
    store: ({ blocks: held, ...rest }, blocks) => ({ ...rest, blocks: held.map((block) => blocks.add(block)) }),
    restore: (stored, blocks) => {
      const { blocks: numbers, ...rest } = stored as { blocks: unknown };
      return { ...rest, blocks: listed(numbers).map((number) => found(blocks, number)) } as unknown as T;
    },
  };
}

function listOf<T>(items: Codec<T>): Codec<T[]> {
  return {
    store: (list, blocks) => list.map((item) => items.store(item, blocks)),
    restore: (stored, blocks) => listed(stored).map((item) => items.restore(item, blocks)),
  };
}

const messages = listOf(holding<FrozenMessage>());

const CODECS: { readonly [K in keyof AgentState]-?: Codec<AgentState[K]> } = {
  started: plain,
  spawned: plain,
  name: plain,
  history: {
    store: (history, blocks) => messages.store([...history], blocks),
    restore: (stored, blocks) => History.of(messages.restore(stored, blocks)),
  },
  inherited: plain,
  epoch: plain,
  newEpoch: plain,
  accepted: plain,
  breakpoints: plain,
  lastRequest: plain,
  lastStop: plain,
  generation: plain,
  pending: listOf(holding()),
  told: plain,
  admittedKeys: setOf(),
  results: mapOf(holding()),
  intended: setOf(),
  callIds: { store: (ids) => [...(ids as Set<string>)], restore: (stored) => new Set(listed(stored) as string[]) },
  begun: plain,
  mode: plain,
  todos: plain,
  hookedSkills: plain,
  prompts: plain,
  fileStates: plain,
  tasks: mapOf(),
  delivered: mapOf(),
  runs: mapOf(),
  runEnd: plain,
  usage: plain,
  lastSeq: plain,
  turnAt: plain,
  gap: plain,
};

/** Casts all fields to one type: each codec only receives its own field. */
function entriesOf(codecs: object): [keyof AgentState, Codec<unknown>][] {
  return Object.entries(codecs) as [keyof AgentState, Codec<unknown>][];
}

/** Identifies the shape of a stored state. */
export const STATE_FIELDS: readonly string[] = Object.keys(CODECS);

function listed(stored: unknown): unknown[] {
  if (!Array.isArray(stored)) throw new TypeError('not a list');
  return stored;
}

function found(blocks: readonly FrozenBlock[], number: unknown): FrozenBlock {
  const block = typeof number === 'number' ? blocks[number] : undefined;
  if (block === undefined) throw new TypeError('no such block');
  return block;
}

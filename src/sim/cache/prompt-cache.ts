/**
 * Prompt-cache accounting by Anthropic's published rules.
 * A request is planned when it arrives: that decides what it can read. It is begun when its response begins: only then
 * can others read what it writes, and only then are the entries it read refreshed. A response that never begins changes
 * nothing.
 */

import type { Lifetime, Prompt, PromptBlock } from './prompt-blocks.js';

export interface PromptCache {
  plan(prompt: Prompt, cacheMinimum: number, now: number): CachePlan;
}

export type CachePlan = {
  readonly usage: InputUsage;
  /** Call when the response begins: what it writes can be read from then on. */
  begin(now: number): void;
};

export type InputUsage = {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
};

/** How many blocks a breakpoint checks, including its own. */
export const LOOK_BACK = 20;

const LIFETIME_MS: Readonly<Record<Lifetime, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 };
const SWEEP_AT = 20_000;

type Entry = { readonly lifetime: Lifetime; expires: number };

export function promptCache(): PromptCache {
  const entries = new Map<string, Entry>();

  const readable = (key: string, now: number): Entry | undefined => {
    const entry = entries.get(key);
    return entry && entry.expires > now ? entry : undefined;
  };

  return {
    plan(prompt, cacheMinimum, now) {
      const breakpoints = cacheableBreakpoints(prompt.blocks, cacheMinimum);
      const hits = breakpoints.flatMap(({ index }) => findHit(prompt.blocks, index, (key) => readable(key, now)));
      const readTo = Math.max(-1, ...hits.map((hit) => hit.index));
      const writes = breakpoints.filter(({ index }) => index > readTo);
      return {
        usage: countUsage(prompt, readTo, writes),
        begin(begun) {
          if (entries.size > SWEEP_AT) sweep(entries, begun);
          for (const { entry } of hits) entry.expires = begun + LIFETIME_MS[entry.lifetime];
          for (const { block, lifetime } of writes) write(entries, block.key, lifetime, begun);
        },
      };
    },
  };
}

type Breakpoint = { readonly index: number; readonly block: PromptBlock; readonly lifetime: Lifetime };

function cacheableBreakpoints(blocks: readonly PromptBlock[], cacheMinimum: number): readonly Breakpoint[] {
  return blocks.flatMap((block, index) =>
    block.marked && block.through >= cacheMinimum ? [{ index, block, lifetime: block.marked }] : [],
  );
}

/** Finds the nearest entry at or before a breakpoint, within its look-back. */
function findHit(blocks: readonly PromptBlock[], from: number, readable: (key: string) => Entry | undefined) {
  for (let index = from; index >= 0 && index > from - LOOK_BACK; index--) {
    const entry = readable(blocks[index]?.key ?? '');
    if (entry) return [{ index, entry }];
  }
  return [];
}

/** Counts every token once: read, written for an hour, written for five minutes, or uncached. */
function countUsage(prompt: Prompt, readTo: number, writes: readonly Breakpoint[]): InputUsage {
  const read = prompt.blocks[readTo]?.through ?? 0;
  const hourEnd = writes.findLast(({ lifetime }) => lifetime === '1h')?.block.through ?? read;
  const end = writes.at(-1)?.block.through ?? read;
  return {
    input_tokens: prompt.tokens - end,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: end - read,
    cache_creation: { ephemeral_5m_input_tokens: end - hourEnd, ephemeral_1h_input_tokens: hourEnd - read },
  };
}

/** If another response wrote the same entry, the longer lifetime wins. */
function write(entries: Map<string, Entry>, key: string, lifetime: Lifetime, now: number): void {
  const present = entries.get(key);
  const longer = present?.lifetime === '1h' && present.expires > now ? '1h' : lifetime;
  entries.set(key, { lifetime: longer, expires: now + LIFETIME_MS[longer] });
}

function sweep(entries: Map<string, Entry>, now: number): void {
  for (const [key, entry] of entries) if (entry.expires <= now) entries.delete(key);
}

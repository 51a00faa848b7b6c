/** Checks whether a record shows a text: messages, thinking, calls and results, but no data that only machines read. */

import { type FrozenBlock, parseBlock } from '../../protocol/frozen-block.js';
import { decodeRecord } from './record.js';

/** Undefined for an empty text. */
export function findText(text: string): ((line: Buffer) => boolean) | undefined {
  const sought = text.toLowerCase();
  if (sought === '') return undefined;
  const written = JSON.stringify(sought).slice(1, -1);
  return (line) => {
    const raw = line.toString('utf8').toLowerCase();
    // Blocks are stored as received: a line with other escapes is decoded before it is skipped.
    if (!raw.includes(written) && !/\\u|\\\//.test(raw)) return false;
    const record = decodeRecord(line);
    if (record === undefined || !('event' in record)) return false;
    return shownIn(record.event as unknown as Shown).some((shown) => shown.toLowerCase().includes(sought));
  };
}

type Shown = Readonly<Record<string, unknown>> & { readonly blocks?: readonly FrozenBlock[] };

function shownIn({ blocks = [], line, text, command, description, prompt }: Shown): readonly string[] {
  const own = [line, text, command, description, prompt].filter((one) => typeof one === 'string');
  return [...own, ...blocks.flatMap((block) => stringsIn(parseBlock(block)))];
}

/** Ids, signatures and images are not text. */
const UNSHOWN = new Set(['type', 'id', 'tool_use_id', 'signature', 'data', 'media_type', 'source', 'cache_control']);

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => (UNSHOWN.has(key) ? [] : stringsIn(one)));
}

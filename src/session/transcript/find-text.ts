/** Tells whether a record shows a text: what was said, thought, called and answered, not what only machines read. */

import { type FrozenBlock, parseBlock } from '../../protocol/frozen-block.js';
import { decodeRecord } from './record.js';

/** Undefined if there is nothing to look for. */
export function findText(text: string): ((line: Buffer) => boolean) | undefined {
  const wanted = text.toLowerCase();
  if (wanted === '') return undefined;
  const written = JSON.stringify(wanted).slice(1, -1);
  return (line) => {
    const raw = line.toString('utf8').toLowerCase();
    // Blocks are kept as they came: what may be written otherwise is read before it is passed over.
    if (!raw.includes(written) && !/\\u|\\\//.test(raw)) return false;
    const record = decodeRecord(line);
    if (record === undefined || !('event' in record)) return false;
    return shownIn(record.event as unknown as Shown).some((words) => words.toLowerCase().includes(wanted));
  };
}

type Shown = Readonly<Record<string, unknown>> & { readonly blocks?: readonly FrozenBlock[] };

function shownIn({ blocks = [], line, text, command, description, prompt }: Shown): readonly string[] {
  const own = [line, text, command, description, prompt].filter((one) => typeof one === 'string');
  return [...own, ...blocks.flatMap((block) => stringsIn(parseBlock(block)))];
}

/** Ids, signatures and pictures are no text. */
const UNSHOWN = new Set(['type', 'id', 'tool_use_id', 'signature', 'data', 'media_type', 'source', 'cache_control']);

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => (UNSHOWN.has(key) ? [] : stringsIn(one)));
}

/** Encodes and decodes one line of a transcript; content blocks keep the bytes they were sent as. */

import type { DurableEvent } from '../../protocol/events.js';
import { type FrozenBlock, thawBlock } from '../../protocol/frozen-block.js';
import { sliceElements, sliceMembers } from '../../protocol/json/json-slices.js';
import { isDurableKind } from '../state/reduce.js';

export const RECORD_VERSION = 1;

export type RecordHead = {
  readonly v: number;
  readonly seq: number;
  readonly uuid: string;
  /** Id of the previous record; null for the first. */
  readonly parent: string | null;
  readonly ts: string;
};

export type TranscriptRecord = RecordHead & { readonly event: DurableEvent };

/** A record of a later version or an unknown kind, preserved unchanged. */
export type UnknownRecord = RecordHead & { readonly unknown: Readonly<Record<string, unknown>> };

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;

type EventMembers = { readonly blocks?: readonly FrozenBlock[]; readonly parent?: string };

export function encodeRecord(head: RecordHead, event: DurableEvent): Buffer {
  const { kind, blocks, parent, ...rest } = event as DurableEvent & EventMembers;
  // An agent's parent is not the previous record; both would be called `parent`.
  const plain = JSON.stringify({ ...head, kind, ...(parent === undefined ? {} : { agentParent: parent }), ...rest });
  if (blocks === undefined) return Buffer.from(`${plain}\n`);
  // The blocks come last and unchanged, so they can be sliced out again without parsing their content.
  const pieces: Uint8Array[] = [Buffer.from(`${plain.slice(0, -1)},"blocks":[`)];
  blocks.forEach((block, index) => {
    if (index > 0) pieces.push(Buffer.from(','));
    pieces.push(onOneLine(block.bytes));
  });
  pieces.push(Buffer.from(']}\n'));
  return Buffer.concat(pieces);
}

/** A line break in a block can only be white space between its parts; here it would split the record. */
function onOneLine(block: Uint8Array): Uint8Array {
  if (!block.includes(NEWLINE) && !block.includes(RETURN)) return block;
  return block.map((byte) => (byte === NEWLINE || byte === RETURN ? SPACE : byte));
}

/** Returns undefined if the line is damaged or not a record of ours. */
export function decodeRecord(line: Buffer): TranscriptRecord | UnknownRecord | undefined {
  try {
    const end = line.at(-1) === NEWLINE ? line.length - 1 : line.length;
    const json = line.subarray(0, end);
    const members = sliceMembers(json);
    const blocksAt = members.get('blocks');
    const plain = blocksAt
      ? Buffer.concat([json.subarray(0, blocksAt.start), Buffer.from('[]'), json.subarray(blocksAt.end)])
      : json;
    const value: unknown = JSON.parse(plain.toString('utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    const { v, seq, uuid, parent, ts, agentParent, ...rest } = value as Record<string, unknown>;
    const event: Record<string, unknown> = agentParent === undefined ? rest : { ...rest, parent: agentParent };
    if (typeof v !== 'number' || typeof seq !== 'number' || typeof uuid !== 'string') return undefined;
    const head: RecordHead = { v, seq, uuid, parent: typeof parent === 'string' ? parent : null, ts: String(ts) };
    if (v !== RECORD_VERSION || !isDurableKind(String(event.kind))) return { ...head, unknown: event };
    const blocks = blocksAt && sliceElements(json, blocksAt.start).map((at) => thawBlock(copy(json, at.start, at.end)));
    return { ...head, event: { ...event, ...(blocks ? { blocks } : {}) } as unknown as DurableEvent };
  } catch {
    return undefined;
  }
}

/** Copies, so that a small block does not retain the whole file in memory. */
function copy(json: Buffer, start: number, end: number): Uint8Array {
  return Uint8Array.prototype.slice.call(json, start, end);
}

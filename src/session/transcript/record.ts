/** One line of a transcript: who it follows, when, and what happened; content blocks as the bytes they were sent as. */

import type { DurableEvent } from '../../protocol/events.js';
import { type FrozenBlock, thawBlock } from '../../protocol/frozen-block.js';
import { sliceElements, sliceMembers } from '../../protocol/json-slices.js';
import { isDurableKind } from '../state/reduce.js';

export const RECORD_VERSION = 1;

export type RecordHead = {
  readonly v: number;
  readonly seq: number;
  readonly uuid: string;
  /** The record before this one; null for the first. */
  readonly parent: string | null;
  readonly ts: string;
};

export type TranscriptRecord = RecordHead & { readonly event: DurableEvent };

/** A record of a later version or of a kind we don't know is kept as it is. */
export type UnknownRecord = RecordHead & { readonly unknown: Readonly<Record<string, unknown>> };

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;

type EventMembers = { readonly blocks?: readonly FrozenBlock[]; readonly parent?: string };

export function encodeRecord(head: RecordHead, event: DurableEvent): Buffer {
  const { kind, blocks, parent, ...rest } = event as DurableEvent & EventMembers;
  // A child's parent is not the record before: one name would hide the other.
  const plain = JSON.stringify({ ...head, kind, ...(parent === undefined ? {} : { agentParent: parent }), ...rest });
  if (blocks === undefined) return Buffer.from(`${plain}\n`);
  // The blocks come last, as they are: slicing them out again needs no parsing of what they hold.
  const pieces: Uint8Array[] = [Buffer.from(`${plain.slice(0, -1)},"blocks":[`)];
  blocks.forEach((block, index) => {
    if (index > 0) pieces.push(Buffer.from(','));
    pieces.push(onOneLine(block.bytes));
  });
  pieces.push(Buffer.from(']}\n'));
  return Buffer.concat(pieces);
}

/** A line break in a block can only be white space between its parts; here it would cut the record in two. */
function onOneLine(block: Uint8Array): Uint8Array {
  if (!block.includes(NEWLINE) && !block.includes(RETURN)) return block;
  return block.map((byte) => (byte === NEWLINE || byte === RETURN ? SPACE : byte));
}

/** Undefined when the line is no record: damaged, or not ours. */
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

/** A copy, so that a small block doesn't keep the whole file it was read from in memory. */
function copy(json: Buffer, start: number, end: number): Uint8Array {
  return Uint8Array.prototype.slice.call(json, start, end);
}

/**
 * A checkpoint: the state of an agent up to one record of its transcript, so that earlier records are not read again.
 * Derived from the transcript and verified against it. One that doesn't match exactly is ignored.
 *
 * The file: a line with the version and the hash of the rest; a line with the position, the facts and the state; the bytes
 * of the blocks.
 */

import { createHash } from 'node:crypto';
import type { Files, ReadHandle } from '../../host/files.js';
import type { AgentState } from '../state/agent-state.js';
import { DURABLE_KINDS } from '../state/reduce.js';
import { decodeRecord } from '../transcript/record.js';
import { segmentPath } from '../transcript/transcript.js';
import { restoreState, STATE_FIELDS, storeState } from './state-codec.js';

/** The file of a checkpoint. */
export type CheckpointPosition = {
  readonly path: string;
  /** The version of this program: a checkpoint of another version is not used. */
  readonly version: string;
};

/** The last record that was folded, and its position. */
export type RecordPosition = {
  readonly seq: number;
  readonly uuid: string;
  readonly segment: number;
  readonly at: number;
  readonly bytes: number;
};

export type Checkpoint = {
  readonly last: RecordPosition;
  readonly state: AgentState;
  /** The number of records up to there, and how many of them are of an unknown kind. */
  readonly records: number;
  readonly unknown: number;
  readonly damage: Damage;
};

export type Damage = {
  /** Number of skipped lines. */
  readonly lines: number;
  /** Number of bytes after the last whole record. */
  readonly tailBytes: number;
  /** Messages for the user; empty if nothing is damaged. */
  readonly told: readonly string[];
};

const FORMAT = 2;
/** A larger state is not saved: reading it would take as long as reading the records. */
const MOST_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Undefined if it would not help, or if the state depends on another agent's. */
export async function encodeCheckpoint(
  files: Files,
  transcript: string,
  checkpoint: Checkpoint,
  { version }: CheckpointPosition,
): Promise<Buffer | undefined> {
  const stored = storeState(checkpoint.state);
  const places = stored && (await placesOf(files, transcript, checkpoint.last));
  if (stored === undefined || places === undefined) return undefined;
  const { last, records, unknown, damage } = checkpoint;
  const { fields, blocks } = stored;
  const head = { last, records, unknown, damage, ...places, fields, blocks: blocks.map((block) => block.length) };
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...blocks]);
  if (content.length > MOST_BYTES) return undefined;
  const seal = JSON.stringify({ checkpoint: FORMAT, made: fingerprintOf(version), sha256: hashOf(content) });
  return Buffer.concat([Buffer.from(`${seal}\n`), content]);
}

/** Undefined if there is none that matches the transcript. Never throws. */
export async function readCheckpoint(
  files: Files,
  transcript: string,
  { path, version }: CheckpointPosition,
): Promise<Checkpoint | undefined> {
  try {
    const found = await files.stat(path);
    if (found?.kind !== 'file' || found.size > MOST_BYTES * 2) return undefined;
    return await decode(files, transcript, await files.read(path), version);
  } catch {
    return undefined;
  }
}

async function decode(
  files: Files,
  transcript: string,
  bytes: Buffer,
  version: string,
): Promise<Checkpoint | undefined> {
  const sealEnd = bytes.indexOf(NEWLINE);
  const seal = JSON.parse(bytes.toString('utf8', 0, sealEnd)) as Record<string, unknown>;
  const content = bytes.subarray(sealEnd + 1);
  if (seal.checkpoint !== FORMAT || seal.made !== fingerprintOf(version) || seal.sha256 !== hashOf(content))
    return undefined;
  const headEnd = content.indexOf(NEWLINE);
  // The hash proves that we wrote it, so it has this shape.
  const head = JSON.parse(content.toString('utf8', 0, headEnd)) as StoredHead;
  const places = await placesOf(files, transcript, head.last);
  if (places === undefined || places.line !== head.line || String(places.before) !== String(head.before)) {
    return undefined;
  }
  let at = headEnd + 1;
  const blocks = head.blocks.map((length) => {
    at += length;
    // Copied, so that a block does not retain the whole file in memory.
    return Uint8Array.prototype.slice.call(content, at - length, at);
  });
  const { last, records, unknown, damage, fields } = head;
  return { last, records, unknown, damage, state: restoreState({ fields, blocks }) };
}

type StoredHead = Omit<Checkpoint, 'state'> &
  Places & { readonly fields: Readonly<Record<string, unknown>>; readonly blocks: readonly number[] };

/** Ties a checkpoint to a transcript: a hash of the record it names, and the lengths of earlier segments. */
type Places = { readonly line: string; readonly before: readonly number[] };

async function placesOf(files: Files, transcript: string, last: RecordPosition): Promise<Places | undefined> {
  const before: number[] = [];
  for (let segment = 0; segment < last.segment; segment += 1) {
    const found = await files.stat(segmentPath(transcript, segment));
    if (found === undefined) return undefined;
    before.push(found.size);
  }
  const handle = await files.openRead(segmentPath(transcript, last.segment));
  try {
    const line = await readAll(handle, last.at, last.bytes);
    const record = line.length === last.bytes && line.at(-1) === NEWLINE ? decodeRecord(line) : undefined;
    if (record?.uuid !== last.uuid || record.seq !== last.seq) return undefined;
    return { line: hashOf(line), before };
  } finally {
    await handle.close().catch(() => {});
  }
}

async function readAll(handle: ReadHandle, at: number, length: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let read = 0; read < length; ) {
    const piece = await handle.read(at + read, length - read);
    if (piece.length === 0) break;
    pieces.push(piece);
    read += piece.length;
  }
  return Buffer.concat(pieces);
}

/** Changes with the version, the kinds of records and the fields of the state, any of which may change the folded state. */
function fingerprintOf(version: string): string {
  return hashOf(Buffer.from(JSON.stringify([version, STATE_FIELDS, DURABLE_KINDS])));
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Reads the records of an agent by position, live: any part of a long transcript is read without the rest. */

import { isFileName, type SessionLayout } from '../../config/paths.js';
import type { Files } from '../../host/files.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { once } from '../../protocol/once.js';
import type { EventInForce, LastInForce } from '../../session/transcript/read-in-force.js';
import type { TranscriptPart } from '../../session/transcript/transcript-part.js';

export interface TranscriptReader {
  /** The current size in bytes. 0 if nothing was written yet. */
  size(): Promise<number>;
  /** Records that end at or before `position`: the last ones, about this many bytes, at least one. */
  before(position: number, bytes: number): Promise<TranscriptPart>;
  /** Records from the one at `position`: about this many bytes, at least one. Empty at the end. */
  after(position: number, bytes: number): Promise<TranscriptPart>;
  /**
   * The next record with this text (ignoring case), from `position` down, or up to `position`. Returns its start;
   * undefined if there is none, or the signal aborts. `find(text, found + 1, 'down')` continues.
   */
  find(text: string, position: number, direction: 'up' | 'down', signal?: AbortSignal): Promise<number | undefined>;
}

/** Loaded with the first use. */
export function transcriptReader(files: Files, path: string | undefined): TranscriptReader {
  const open = once(async () => {
    const { IndexedTranscript } = await import('../../session/transcript/indexed-transcript.js');
    return new IndexedTranscript(files, path);
  });
  return {
    size: async () => (await open()).size(),
    before: async (position, bytes) => (await open()).before(position, bytes),
    after: async (position, bytes) => (await open()).after(position, bytes),
    find: async (text, position, direction, signal) => (await open()).find(text, position, direction, signal),
  };
}

/** Undefined if it can't be an agent's id. */
export function transcriptPath(layout: SessionLayout, agent: string): string | undefined {
  if (agent === MAIN_AGENT) return layout.file;
  return isFileName(agent) ? layout.agentFile(agent) : undefined;
}

export async function* conversationInForce(files: Files, path: string): AsyncGenerator<EventInForce, void, undefined> {
  const { readInForce } = await import('../../session/transcript/read-in-force.js');
  yield* readInForce(files, path);
}

export async function lastInForce(files: Files, path: string, bytes: number): Promise<LastInForce> {
  const [{ readLastInForce }, { IndexedTranscript }] = await Promise.all([
    import('../../session/transcript/read-in-force.js'),
    import('../../session/transcript/indexed-transcript.js'),
  ]);
  return readLastInForce(new IndexedTranscript(files, path), bytes);
}

/** The records of an agent by their place, live: any part of a long transcript is read without the rest of it. */

import { isFileName, type SessionLayout } from '../../config/paths.js';
import type { Files } from '../../host/files.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { once } from '../../protocol/once.js';
import type { EventInForce, LastInForce } from '../../session/transcript/read-in-force.js';
import type { TranscriptPart } from '../../session/transcript/transcript-part.js';

export interface TranscriptReader {
  /** How long it is now, in bytes. 0 if nothing was written yet. */
  size(): Promise<number>;
  /** Records that end at `place` or before it: the last ones, about this many bytes of them, at least one. */
  before(place: number, bytes: number): Promise<TranscriptPart>;
  /** Records from the one that `place` is in: about this many bytes, at least one. Empty at the end. */
  after(place: number, bytes: number): Promise<TranscriptPart>;
  /**
   * The next record with this text (whatever the case), from `place` down, or up to `place`. Returns where it begins;
   * undefined if there is none, or the signal aborts. `find(text, found + 1, 'down')` goes on.
   */
  find(text: string, place: number, way: 'up' | 'down', signal?: AbortSignal): Promise<number | undefined>;
}

/** Loaded with the first look. */
export function transcriptReader(files: Files, path: string | undefined): TranscriptReader {
  const open = once(async () => {
    const { IndexedTranscript } = await import('../../session/transcript/indexed-transcript.js');
    return new IndexedTranscript(files, path);
  });
  return {
    size: async () => (await open()).size(),
    before: async (place, bytes) => (await open()).before(place, bytes),
    after: async (place, bytes) => (await open()).after(place, bytes),
    find: async (text, place, way, signal) => (await open()).find(text, place, way, signal),
  };
}

/** Undefined for what can be no agent's id. */
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

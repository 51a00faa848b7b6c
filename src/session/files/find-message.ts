/** Finds the record of a message by its id for clients: a prompt's own key, or the id it was printed with. */

import type { Files } from '../../host/files.js';
import { type DurableEvent, MAIN_AGENT } from '../../protocol/events.js';
import { messageId } from '../message-id.js';
import { readTranscript } from '../transcript/read-transcript.js';

export type FoundMessage = {
  readonly seq: number;
  /** True for a message of the user. */
  readonly isPrompt: boolean;
};

const KINDS = new Set(['session-started', 'input-admitted', 'assistant-replied', 'call-finished']);

/**
 * Searches the main agent's transcript at `path`. A copied session contains messages printed under its former id, so
 * all its ids are tried. If a reply was printed block by block, each block's id finds the whole reply.
 */
export async function findMessage(
  files: Files,
  path: string,
  session: string,
  id: string,
): Promise<FoundMessage | undefined> {
  const sessions = new Set([session]);
  const seen: { readonly seq: number; readonly parts: number; readonly isPrompt: boolean }[] = [];
  for await (const item of readTranscript(files, path, { kinds: KINDS })) {
    if (item.kind !== 'record' || !('event' in item.record)) continue;
    const { seq, event } = item.record;
    if (event.kind === 'session-started') sessions.add(event.session);
    const isPrompt = event.kind === 'input-admitted' && event.origin === 'person';
    if (isPrompt && event.key === id) return { seq, isPrompt };
    const parts = partsOf(event);
    if (parts > 0) seen.push({ seq, parts, isPrompt });
  }
  for (const one of sessions) {
    for (const { seq, parts, isPrompt } of seen) {
      for (let part = 0; part < parts; part += 1) {
        if (messageId(one, MAIN_AGENT, seq, part) === id) return { seq, isPrompt };
      }
    }
  }
  return undefined;
}

/** The number of lines it is printed as. */
function partsOf(event: DurableEvent): number {
  switch (event.kind) {
    case 'assistant-replied':
      return Math.max(1, event.blocks.length);
    case 'call-finished':
      return event.aside ? 0 : 1;
    case 'input-admitted':
      return event.origin === 'person' ? 1 : 0;
    default:
      return 0;
  }
}

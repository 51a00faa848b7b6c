/** Replays a conversation from its transcript: the current part, and what a summary has replaced. */

import type { Files } from '../../host/files.js';
import { type DurableEvent, MAIN_AGENT } from '../../protocol/events.js';
import { readInForce } from '../../session/transcript/read-in-force.js';
import { createView } from '../view/session-view.js';
import type { SessionUpdates } from './session-updates.js';

const KINDS: ReadonlySet<DurableEvent['kind']> = new Set([
  'input-admitted',
  'assistant-replied',
  'call-finished',
  'todos-changed',
  'history-compacted',
]);

/** `behind`: awaited before more is shown, since a transcript may be too large for memory. */
export async function replay(
  files: Files,
  transcript: string,
  updates: SessionUpdates,
  behind: () => Promise<void> | undefined,
): Promise<void> {
  const view = createView();
  for await (const { seq, event } of readInForce(files, transcript, KINDS)) {
    if (event.kind === 'input-admitted' && event.origin === 'person') updates.showPrompt(event.blocks);
    updates.take({ agent: MAIN_AGENT, seq, event }, view);
    await behind();
  }
}

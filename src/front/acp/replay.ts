/** Shows a conversation again, from its transcript: what is still in force, and what a summary has replaced. */

import type { Files } from '../../host/files.js';
import { type DurableEvent, MAIN_AGENT } from '../../protocol/events.js';
import { readTranscript } from '../../session/transcript/read-transcript.js';
import { createView } from '../view/session-view.js';
import type { SessionUpdates } from './session-updates.js';

type Shown = { readonly seq: number; readonly event: DurableEvent };
/** Records from `from` to before `to` are not in force any more. */
type Dropped = { readonly from: number; readonly to: number };

const KINDS: ReadonlySet<DurableEvent['kind']> = new Set([
  'input-admitted',
  'assistant-replied',
  'call-finished',
  'todos-changed',
  'history-compacted',
  'history-cleared',
  'history-rewound',
]);

/** `behind`: waited for before more is shown. A transcript may be larger than what should be in memory. */
export async function replay(
  files: Files,
  transcript: string,
  updates: SessionUpdates,
  behind: () => Promise<void> | undefined,
): Promise<void> {
  const view = createView();
  const dropped = await findDropped(files, transcript);
  for await (const { seq, event } of readShown(files, transcript)) {
    if (dropped.some(({ from, to }) => seq >= from && seq < to)) continue;
    if (event.kind === 'input-admitted' && event.origin === 'person') updates.showPrompt(event.blocks);
    updates.take({ agent: MAIN_AGENT, seq, event }, view);
    await behind();
  }
}

async function findDropped(files: Files, transcript: string): Promise<readonly Dropped[]> {
  const dropped: Dropped[] = [];
  for await (const { seq, event } of readShown(files, transcript)) {
    if (event.kind === 'history-cleared') dropped.push({ from: 0, to: seq });
    if (event.kind === 'history-rewound' && event.conversation) dropped.push({ from: event.before, to: seq });
  }
  return dropped;
}

async function* readShown(files: Files, transcript: string): AsyncGenerator<Shown, void, undefined> {
  for await (const item of readTranscript(files, transcript, { kinds: KINDS })) {
    if (item.kind !== 'record' || !('event' in item.record)) continue;
    const { seq, event } = item.record;
    if (KINDS.has(event.kind)) yield { seq, event };
  }
}

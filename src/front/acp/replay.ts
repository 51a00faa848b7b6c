/** Shows a conversation again, from its transcript: what is still in force, and what a summary has replaced. */

import type { Files } from '../../host/files.js';
import { type DurableEvent, MAIN_AGENT } from '../../protocol/events.js';
import { readTranscript } from '../../session/transcript/read-transcript.js';
import { createView } from '../view/session-view.js';
import type { SessionUpdates } from './session-updates.js';

type Shown = { readonly seq: number; readonly event: DurableEvent };

const KINDS: ReadonlySet<DurableEvent['kind']> = new Set([
  'input-admitted',
  'assistant-replied',
  'call-finished',
  'todos-changed',
  'history-compacted',
  'history-cleared',
  'history-rewound',
]);

export async function replay(files: Files, transcript: string, updates: SessionUpdates): Promise<void> {
  const view = createView();
  for (const { seq, event } of await readShown(files, transcript)) {
    if (event.kind === 'input-admitted' && event.origin === 'person') updates.showPrompt(event.blocks);
    updates.take({ agent: MAIN_AGENT, seq, event }, view);
  }
  updates.endOpenCalls();
}

async function readShown(files: Files, transcript: string): Promise<readonly Shown[]> {
  let shown: Shown[] = [];
  for await (const item of readTranscript(files, transcript, { kinds: KINDS })) {
    if (item.kind !== 'record' || !('event' in item.record)) continue;
    const { seq, event } = item.record;
    if (event.kind === 'history-cleared') shown = [];
    else if (event.kind === 'history-rewound') {
      if (event.conversation) shown = shown.filter((one) => one.seq < event.before);
    } else if (KINDS.has(event.kind)) shown.push({ seq, event });
  }
  return shown;
}

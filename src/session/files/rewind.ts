/** Rewinds to before a prompt: the conversation, the files, or both. A rewind is a record; nothing is deleted. */

import type { SessionLayout } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import type { DurableEventOf, RewoundFile } from '../../protocol/events.js';
import { callsIn } from '../../protocol/frozen-block.js';
import type { Emit } from '../emit.js';
import type { AgentState, RecordedPrompt } from '../state/agent-state.js';
import { readPast } from '../state/read-state.js';
import { readTranscript } from '../transcript/read-transcript.js';
import { findMessage } from './find-message.js';
import { changedByOthers, type LeftFile, planFileRewind, rewindFiles } from './rewind-files.js';

export const REWIND_SCOPES = ['both', 'conversation', 'files'] as const;

export type RewindScope = (typeof REWIND_SCOPES)[number];

export type RewindRequest = {
  /** Number of the person's prompt, counted from 1, or the id of its message. It and everything after it is taken back. */
  readonly to: number | string;
  readonly part: RewindScope;
  /** Files to overwrite although somebody else has changed them; other such files are left alone. */
  readonly overwrite?: readonly string[];
  /** Only says what would be done. */
  readonly dryRun?: boolean;
};

export type Rewound =
  | {
      readonly ok: true;
      readonly prompt: RecordedPrompt;
      readonly part: RewindScope;
      readonly conversation: boolean;
      readonly files: readonly RewoundFile[];
      readonly left: readonly LeftFile[];
      /** Lines that came into files, and that went. */
      readonly insertions: number;
      readonly deletions: number;
      /** What would change, as a patch: with `dryRun`. */
      readonly patch?: string;
    }
  | { readonly ok: false; readonly reason: string };

/**
 * The caller holds the session's lock, and no agent is running. `state` is the main agent's; `append` writes the record
 * to its transcript, together with the state to return to.
 */
export async function rewind(
  host: Host,
  layout: SessionLayout,
  state: AgentState,
  { to, part, overwrite = [], dryRun = false }: RewindRequest,
  emit: Emit,
): Promise<Rewound> {
  const prompt = await findPrompt(host, layout, state, to);
  if (prompt === undefined) return { ok: false, reason: noSuchPrompt(state, to) };
  const conversation = part !== 'files';
  const past = conversation ? await readPast(host.files, layout.file, { upTo: prompt.seq - 1 }) : undefined;
  if (conversation && past === undefined) return { ok: false, reason: `${layout.file} can't be read` };
  const targets = part === 'conversation' ? [] : planFileRewind(state.fileStates, prompt.seq);
  const { files, left, ...lines } = await rewindFiles(host, layout, targets, { overwrite, dryRun });
  if (!dryRun) {
    await emit({ kind: 'history-rewound', before: prompt.seq, conversation, files }, past);
    await leaveThinking(state, past, emit);
  }
  return { ok: true, prompt, part, conversation, files, left, ...lines };
}

/** Goes back to just after the record of a message: the conversation only. The caller's duties are those of `rewind`. */
export async function rewindToAfter(
  host: Host,
  layout: SessionLayout,
  state: AgentState,
  seq: number,
  emit: Emit,
): Promise<{ readonly ok: true; readonly isRewound: boolean } | { readonly ok: false; readonly reason: string }> {
  if (seq === state.lastSeq) return { ok: true, isRewound: false };
  const past = await readPast(host.files, layout.file, { upTo: seq });
  if (past === undefined) return { ok: false, reason: `${layout.file} can't be read` };
  await emit({ kind: 'history-rewound', before: seq + 1, conversation: true, files: [] }, past);
  await leaveThinking(state, past, emit);
  // What was begun after this message was begun all the same: its call is not closed as one that never was.
  for (const begun of await begunAfter(host, layout, seq, callsOf(past))) await emit(begun);
  return { ok: true, isRewound: true };
}

/** What comes back may be of a turn on another model: its thinking is not for the one that the session is on since. */
async function leaveThinking({ epoch }: AgentState, past: AgentState | undefined, emit: Emit): Promise<void> {
  if (past?.epoch === undefined || past.epoch.model === epoch?.model) return;
  const reason = `it was thought by ${past.epoch.model}`;
  await emit({ kind: 'history-mended', reason, message: -1, block: -1, blocks: [] });
}

/** The calls that the last reply made. */
function callsOf({ history }: AgentState): ReadonlySet<string> {
  const last = history.at(history.length - 1);
  return new Set(last?.role === 'assistant' ? callsIn([last]) : []);
}

async function begunAfter(
  { files }: Host,
  { file }: SessionLayout,
  seq: number,
  calls: ReadonlySet<string>,
): Promise<readonly DurableEventOf<'call-intended'>[]> {
  const begun = new Map<string, DurableEventOf<'call-intended'>>();
  if (calls.size === 0) return [];
  for await (const item of readTranscript(files, file, { kinds: new Set(['call-intended']) })) {
    if (item.kind !== 'record' || !('event' in item.record) || item.record.seq <= seq) continue;
    const { event } = item.record;
    if (event.kind === 'call-intended' && calls.has(event.call)) begun.set(event.call, event);
  }
  return [...begun.values()];
}

async function findPrompt(
  { files }: Host,
  layout: SessionLayout,
  { prompts, started }: AgentState,
  to: number | string,
): Promise<RecordedPrompt | undefined> {
  if (typeof to === 'number') return prompts[to - 1];
  const found = await findMessage(files, layout.file, started?.session ?? '', to);
  return prompts.find(({ seq }) => seq === found?.seq);
}

/** Files that a rewind would leave alone because somebody else has changed them. */
export async function rewindConflicts(
  host: Host,
  layout: SessionLayout,
  state: AgentState,
  to: number | string,
): Promise<readonly string[]> {
  const prompt = await findPrompt(host, layout, state, to);
  return prompt === undefined ? [] : changedByOthers(host, planFileRewind(state.fileStates, prompt.seq));
}

function noSuchPrompt({ prompts }: AgentState, to: number | string): string {
  if (typeof to === 'string') return `there is no prompt with the id ${to} that is still in force`;
  const count = prompts.length === 1 ? 'is one prompt' : `are ${prompts.length} prompts`;
  return `there is no prompt ${to} to rewind to: there ${count}`;
}

const NO_FILES =
  'There was no file to put back: what Write and Edit changed is as it was. What commands changed stays.';

/** Describes the rewind for the person. */
export function describeRewound(rewound: Extract<Rewound, { ok: true }>): string[] {
  const { prompt, part, conversation, files, left } = rewound;
  const words = JSON.stringify(prompt.words.length > 60 ? `${prompt.words.slice(0, 59)}…` : prompt.words);
  return [
    conversation ? `The conversation is back to before ${words}.` : `Back to before ${words}: files only.`,
    ...files.map(({ path, sha256 }) => (sha256 === null ? `  removed ${path}` : `  put back ${path}`)),
    ...left.map(({ path, reason }) => `  left alone: ${path} (${reason})`),
    ...(part === 'conversation' ? ['Files stay as they are.'] : []),
    ...(part !== 'conversation' && files.length + left.length === 0 ? [NO_FILES] : []),
  ];
}

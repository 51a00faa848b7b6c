/** Rewinds to before a prompt: the conversation, the files, or both. A rewind is a record; nothing is deleted. */

import type { SessionLayout } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import type { RewindScope } from '../../protocol/commands.js';
import type { DurableEventOf, RewoundFile } from '../../protocol/events.js';
import { callsIn } from '../../protocol/frozen-block.js';
import type { Result } from '../../protocol/result.js';
import type { Emit } from '../emit.js';
import type { AgentState, RecordedPrompt } from '../state/agent-state.js';
import { readPast } from '../state/read-state.js';
import { readTranscript } from '../transcript/read-transcript.js';
import { findMessage } from './find-message.js';
import { isNothing } from './path-state.js';
import { refusePathsOutside } from './restorable-paths.js';
import type { LeftFile } from './restore-paths.js';
import { changedByOthers, planFileRewind, rewindFiles } from './rewind-files.js';

export type RewindRequest = {
  /** Number of the user's prompt, from 1, or the id of its message. It and everything after it is undone. */
  readonly to: number | string;
  readonly part: RewindScope;
  /** Files to overwrite although others have changed them; other such files are left alone. */
  readonly overwrite?: readonly string[];
  /** Only reports the effect. */
  readonly dryRun?: boolean;
};

export type Rewound = Result<{
  readonly prompt: RecordedPrompt;
  readonly part: RewindScope;
  readonly conversation: boolean;
  readonly files: readonly RewoundFile[];
  readonly left: readonly LeftFile[];
  /** Lines added to files, and removed. */
  readonly insertions: number;
  readonly deletions: number;
  /** With `dryRun`: the changes as a patch. */
  readonly patch?: string;
}>;

/** A session's files: those stored, and the folders that it works in (real paths), which a rewind may write to. */
export type SessionPlace = { readonly layout: SessionLayout; readonly roots: readonly string[] };

/**
 * The caller holds the session's lock, and no agent is running. `state` is the main agent's; `append` writes the record
 * to its transcript, together with the state to return to.
 */
export async function rewind(
  host: Host,
  { layout, roots }: SessionPlace,
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
  const refuse = await refusePathsOutside(host.files, layout, roots);
  const { files, left, ...lines } = await rewindFiles(host, layout, targets, { overwrite, dryRun, refuse });
  if (!dryRun) {
    await emit({ kind: 'history-rewound', before: prompt.seq, conversation, files }, past);
    await dropForeignThinking(state, past, emit);
  }
  return { ok: true, prompt, part, conversation, files, left, ...lines };
}

/** Rewinds the conversation to just after the record of a message. The caller's duties are those of `rewind`. */
export async function rewindToAfter(
  host: Host,
  layout: SessionLayout,
  state: AgentState,
  seq: number,
  emit: Emit,
): Promise<Result<{ readonly isRewound: boolean }>> {
  if (seq === state.lastSeq) return { ok: true, isRewound: false };
  const past = await readPast(host.files, layout.file, { upTo: seq });
  if (past === undefined) return { ok: false, reason: `${layout.file} can't be read` };
  await emit({ kind: 'history-rewound', before: seq + 1, conversation: true, files: [] }, past);
  await dropForeignThinking(state, past, emit);
  // Calls that were started after this message did start: they must not be closed as never started.
  for (const begun of await begunAfter(host, layout, seq, callsOf(past))) await emit(begun);
  return { ok: true, isRewound: true };
}

/** The restored turn may be from another model, whose thinking the current one can't use. */
async function dropForeignThinking({ epoch }: AgentState, past: AgentState | undefined, emit: Emit): Promise<void> {
  if (past?.epoch === undefined || past.epoch.model === epoch?.model) return;
  const reason = `it was thought by ${past.epoch.model}`;
  await emit({ kind: 'history-mended', reason, message: -1, block: -1, blocks: [] });
}

/** The calls of the last reply. */
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

/** Files that a rewind would leave alone because others have changed them. */
export async function rewindConflicts(
  host: Host,
  { layout, roots }: SessionPlace,
  state: AgentState,
  to: number | string,
): Promise<readonly string[]> {
  const prompt = await findPrompt(host, layout, state, to);
  if (prompt === undefined) return [];
  const refuse = await refusePathsOutside(host.files, layout, roots);
  return changedByOthers(host, layout, planFileRewind(state.fileStates, prompt.seq), refuse);
}

function noSuchPrompt({ prompts }: AgentState, to: number | string): string {
  if (typeof to === 'string') return `there is no prompt with the id ${to}, or it was already rewound`;
  const count = prompts.length === 1 ? 'is one prompt' : `are ${prompts.length} prompts`;
  return `there is no prompt ${to} to rewind to: there ${count}`;
}

const NO_FILES =
  'No files to restore: no edit and no file command has changed any since. What other commands changed stays.';

/** Describes the rewind for the user. */
export function describeRewound(rewound: Extract<Rewound, { ok: true }>): string[] {
  const { prompt, part, conversation, files, left } = rewound;
  const quoted = JSON.stringify(prompt.words.length > 60 ? `${prompt.words.slice(0, 59)}…` : prompt.words);
  return [
    conversation ? `Rewound the conversation to before ${quoted}.` : `Rewound files to before ${quoted}.`,
    ...files.map((file) => `  ${isNothing(file) ? 'removed' : 'restored'} ${file.path}`),
    ...left.map(({ path, reason }) => `  left alone: ${path} (${reason})`),
    ...(part === 'conversation' ? ['Files were not changed.'] : []),
    ...(part !== 'conversation' && files.length + left.length === 0 ? [NO_FILES] : []),
  ];
}

/** Takes the lock of a stored session, and reads what is needed to resume it. */

import type { SessionLayout } from '../../config/paths.js';
import { VERSION } from '../../config/version.js';
import type { Host } from '../../host/host.js';
import { markedSession } from '../../host/process-mark.js';
import type { EndedProcess } from '../../host/processes.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Failure } from '../../protocol/result.js';
import { prepareCheckpoint } from '../../session/checkpoint/checkpoint-writer.js';
import { createEmit, type Emit, Listeners } from '../../session/emit.js';
import { announceRewind } from '../../session/files/announce-rewind.js';
import {
  describeRewound,
  type RewindRequest,
  rewind,
  rewindToAfter,
  type SessionPlace,
} from '../../session/files/rewind.js';
import { Inbox } from '../../session/inbox.js';
import { describeEndedForUser } from '../../session/repair/describe-ended.js';
import { type AgentLogs, readAgentLogs } from '../../session/state/agent-log.js';
import { type AgentState, lastingEpoch } from '../../session/state/agent-state.js';
import { type ReadState, readState } from '../../session/state/read-state.js';
import { readPrefix } from '../../session/store/read-prefix.js';
import { lockSession } from '../../session/store/session-lock.js';
import { repairTail } from '../../session/transcript/read-transcript.js';
import { Transcript, type TranscriptEnd } from '../../session/transcript/transcript.js';
import type { Resources } from '../resources.js';
import type { OpenFailure } from '../session-options.js';

export type LoadedSession = {
  readonly state: AgentState;
  /** The end of its transcript; undefined if there is no record. */
  readonly end: TranscriptEnd | undefined;
  /** The stored prompt and tools of its last request, if they can be read. */
  readonly prefix: Buffer | undefined;
  readonly agents: AgentLogs;
  /** Processes left by the process that died; they have been ended. */
  readonly orphans: readonly EndedProcess[];
  /** To be saved, so that the next resume reads less; undefined if there is nothing to gain. */
  readonly checkpoint: Buffer | undefined;
  /** What was damaged and set aside, for the user. */
  readonly notes: readonly string[];
  /** Unreadable lines of its transcript: the session continues without them. */
  readonly damagedLines: number;
};

/** The point to continue from, if not the end. */
type GoBack = {
  readonly rewind?: RewindRequest;
  /** Right after the message of this record. */
  readonly after?: number;
};

type WentBack = { readonly ok: true; readonly lines: readonly string[]; readonly end: TranscriptEnd };

/** The lock is one of the `resources`: the caller releases it. */
export async function loadSession(
  host: Host,
  { layout, roots }: SessionPlace,
  resources: Resources,
  back: GoBack = {},
): Promise<{ readonly ok: true; readonly loaded: LoadedSession } | OpenFailure> {
  const fail = (reason: string): OpenFailure => ({ ok: false, kind: 'state', reason });
  const locked = await lockSession(host, layout);
  if (!locked.ok) return fail(locked.reason);
  resources.add('the lock', () => locked.lock.release());
  const orphans = locked.wasDead ? await host.processes.endMarked(markedSession(layout.file), 'earlier-process') : [];
  const tail = await repairTail(host, layout.file);
  if (!tail.ok) return fail(`${layout.file} can't be opened for writing: ${tail.reason}`);
  const location = { path: layout.checkpoint, version: VERSION };
  const read = await readState(host.files, layout.file, { checkpoint: location });
  if (read.kind === 'missing') return fail(`the transcript ${layout.file} is gone`);
  if (read.kind === 'unreadable') return fail(read.reason);
  const checkpoint = await prepareCheckpoint(host, layout.file, location, read);
  const notes = [...orphans.map(describeEndedForUser), ...read.damage.told];
  const agents = await readAgentLogs(host.files, layout);
  let { end } = read;
  if (back.rewind !== undefined || back.after !== undefined) {
    const rewound = await rewindStored(host, { layout, roots }, read, agents, back);
    if (!rewound.ok) return fail(rewound.reason);
    notes.unshift(...rewound.lines);
    end = rewound.end;
  }
  const prefix = await storedPrefix(host, layout, read.state, notes);
  notes.push(...agents.setAside.map(({ path, reason }) => `${path} can't be used and was set aside: ${reason}`));
  const damagedLines = read.damage.lines;
  return { ok: true, loaded: { state: read.state, end, prefix, agents, orphans, checkpoint, notes, damagedLines } };
}

/** Before anything continues: an agent resumed at once must find the rewound state. */
async function rewindStored(
  host: Host,
  place: SessionPlace,
  { state, end }: ReadState,
  { agents }: AgentLogs,
  back: GoBack,
): Promise<WentBack | Failure> {
  let transcript: Transcript | undefined;
  try {
    const opened = await Transcript.open({
      host,
      path: place.layout.file,
      ...(end ? { end } : {}),
      onSuspect: () => {},
    });
    transcript = opened;
    const emit = createEmit({ agent: MAIN_AGENT, state, log: opened, listeners: new Listeners() });
    const rewound = await goBack(host, place, state, back, emit);
    if (!rewound.ok) return rewound;
    const callOf = (id: string) => agents.find(({ agent }) => agent === id)?.spawned.call;
    await announceRewind(state, new Inbox(state, emit), rewound, callOf);
    return { ok: true, lines: rewound.lines, end: opened.end };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  } finally {
    await transcript?.close().catch(() => {});
  }
}

async function goBack(
  host: Host,
  place: SessionPlace,
  state: AgentState,
  { rewind: request, after }: GoBack,
  emit: Emit,
) {
  if (request !== undefined) {
    const rewound = await rewind(host, place, state, request, emit);
    return rewound.ok ? { ...rewound, lines: describeRewound(rewound) } : rewound;
  }
  const rewound = after === undefined ? undefined : await rewindToAfter(host, place.layout, state, after, emit);
  if (rewound?.ok === false) return rewound;
  return { ok: true as const, conversation: rewound?.isRewound === true, files: [], lines: [] };
}

async function storedPrefix(
  host: Host,
  layout: SessionLayout,
  state: AgentState,
  notes: string[],
): Promise<Buffer | undefined> {
  const epoch = lastingEpoch(state);
  if (epoch === undefined) return undefined;
  const stored = await readPrefix(host, layout, epoch.prefix);
  if (stored.ok) return stored.bytes;
  notes.push(`${stored.reason}; the prompt is rebuilt and the cache will miss`);
  return undefined;
}

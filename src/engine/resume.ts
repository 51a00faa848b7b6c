/** Finds a session that was, takes its lock, and reads what it takes to go on with it. */

import { coppiceHome, projectKey, type SessionLayout, sessionLayout } from '../config/paths.js';
import type { Host } from '../host/host.js';
import type { Lock } from '../host/lock.js';
import { loadPrefix, type Prefix } from '../model/prefix.js';
import { reasonOf } from '../protocol/reason-of.js';
import { describeRewound, type RewindRequest, type Rewound, rewind } from '../session/files/rewind.js';
import { type AgentLogs, readAgentLogs } from '../session/state/agent-log.js';
import { restoreTranscript } from '../session/state/restore-transcript.js';
import type { Restored } from '../session/state/restored.js';
import { listSessions } from '../session/store/list-sessions.js';
import { readPrefix } from '../session/store/read-prefix.js';
import { lockSession } from '../session/store/session-lock.js';
import { repairTail } from '../session/transcript/read-transcript.js';
import { Transcript } from '../session/transcript/transcript.js';
import type { OpenFailure } from './session-options.js';

export type Resume = {
  readonly id: string;
  readonly lock: Lock;
  readonly restored: Restored;
  /** The stored prompt and tools of its last request, if they can be read. */
  readonly prefix: Prefix | undefined;
  readonly agents: AgentLogs;
  /** What was damaged and set aside, for the person. */
  readonly told: readonly string[];
};

/** `latest`: the newest of this folder. Otherwise an id, or enough of its beginning. */
export async function findSession(
  host: Host,
  folder: string,
  wanted: string,
): Promise<{ readonly ok: true; readonly id: string } | OpenFailure> {
  const { sessions } = await listSessions(host, { home: coppiceHome(host.env), project: projectKey(folder) });
  const usable = sessions.filter((session) => session.damaged === undefined || session.prompt !== '');
  if (wanted === 'latest') {
    const [newest] = usable;
    if (newest) return { ok: true, id: newest.id };
    return {
      ok: false,
      kind: 'usage',
      reason: `there is no session to continue in ${folder}. Start one: coppice -p "…"`,
    };
  }
  const matches = sessions.filter((session) => session.id === wanted || session.id.startsWith(wanted));
  const exact = matches.find((session) => session.id === wanted);
  const [only] = matches;
  if (exact ?? (matches.length === 1 && only)) return { ok: true, id: (exact ?? only)?.id ?? wanted };
  const some = (matches.length > 0 ? matches : usable)
    .slice(0, 5)
    .map((session) => `  ${session.id}  ${session.prompt.slice(0, 60)}`);
  const reason =
    matches.length > 1
      ? `${matches.length} sessions begin with ${wanted}`
      : `there is no session ${wanted} in ${folder}`;
  const list = some.length > 0 ? `:\n${some.join('\n')}` : '.';
  return { ok: false, kind: 'usage', reason: `${reason}${list}\ncoppice sessions lists them all.` };
}

export async function loadResume(
  host: Host,
  folder: string,
  id: string,
  request?: RewindRequest,
): Promise<{ readonly ok: true; readonly resume: Resume } | OpenFailure> {
  const layout = sessionLayout(coppiceHome(host.env), projectKey(folder), id);
  const locked = await lockSession(host, layout);
  if (!locked.ok) return { ok: false, kind: 'state', reason: locked.reason };
  const fail = async (message: string): Promise<OpenFailure> => {
    await locked.lock.release();
    return { ok: false, kind: 'state', reason: message };
  };
  const tail = await repairTail(host, layout.file);
  if (!tail.ok) return fail(`${layout.file} can't be opened for writing: ${tail.reason}`);
  let read = await restoreTranscript(host.files, layout.file);
  const told: string[] = [];
  if (request !== undefined && read.kind === 'restored') {
    const rewound = await rewindStored(host, layout, read.restored, request);
    if (!rewound.ok) return fail(rewound.reason);
    told.push(...describeRewound(rewound));
    read = await restoreTranscript(host.files, layout.file);
  }
  if (read.kind === 'missing') return fail(`the transcript of session ${id} is gone`);
  if (read.kind === 'unreadable') return fail(read.reason);
  const { restored, damage } = read;
  told.push(...damage.told);
  const prefix = await storedPrefix(host, layout, restored, told);
  const agents = await readAgentLogs(host.files, layout);
  told.push(...agents.setAside.map(({ path, reason }) => `${path} can't be used and was set aside: ${reason}`));
  return { ok: true, resume: { id, lock: locked.lock, restored, prefix, agents, told } };
}

/** Before anything goes on: an agent that is resumed at once must find what the person went back to. */
async function rewindStored(
  host: Host,
  layout: SessionLayout,
  { end }: Restored,
  request: RewindRequest,
): Promise<Rewound> {
  let transcript: Transcript | undefined;
  try {
    transcript = await Transcript.open({ host, path: layout.file, ...(end ? { end } : {}), onSuspect: () => {} });
    const opened = transcript;
    return await rewind(host, layout, request, (event) => opened.append(event));
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  } finally {
    await transcript?.close().catch(() => {});
  }
}

async function storedPrefix(
  host: Host,
  layout: SessionLayout,
  restored: Restored,
  told: string[],
): Promise<Prefix | undefined> {
  if (restored.epoch === undefined) return undefined;
  const stored = await readPrefix(host, layout, restored.epoch.prefix);
  if (stored.ok) return loadPrefix(stored.bytes);
  told.push(`${stored.reason}; the prompt is rebuilt and the cache will miss`);
  return undefined;
}

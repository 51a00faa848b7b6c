/**
 * Reads the agents of a session from their own transcripts: their start, the state of their runs, the undelivered
 * notices. An unusable file is reported and does not hide the others.
 */

import { join } from 'node:path';
import type { SessionLayout } from '../../config/paths.js';
import { errorCode, type Files } from '../../host/files.js';
import { isHookAgent } from '../../protocol/agent-spawned.js';
import type { AgentSpawned, AgentStatus, NoticeKey } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { isSegment } from '../transcript/transcript.js';
import { type AgentState, isFinal, noticeKey, type RunLog } from './agent-state.js';
import { readState } from './read-state.js';
import { LIFE_KINDS } from './reduce.js';

export type AgentLog = {
  readonly agent: string;
  readonly path: string;
  readonly spawned: AgentSpawned;
  readonly runs: readonly RunLog[];
  /** Status of its last run. A run that was active when the process died is interrupted. */
  readonly status: AgentStatus;
  /** True if the last run did not finish. False for agents of hooks and side questions, which no one waits for any more. */
  readonly unfinished: boolean;
  /** True if its task is on disk. An agent that died before that did nothing and can't be resumed. */
  readonly begun: boolean;
  /** True if no one waits for its last run, so that its end produces a notice. */
  readonly background: boolean;
  /** Result of the last run that has one. */
  readonly result: { readonly run: number; readonly status: string; readonly text: string } | undefined;
  /** Notices that reached this agent from its own children. */
  readonly delivered: readonly NoticeKey[];
  /** Number of damaged lines that were skipped. */
  readonly damaged: number;
};

export type AgentLogs = {
  /** In spawn order. */
  readonly agents: readonly AgentLog[];
  /** Files that could not be used, with the reason. They are not moved. */
  readonly setAside: readonly { readonly path: string; readonly reason: string }[];
};

export async function readAgentLogs(files: Files, layout: SessionLayout): Promise<AgentLogs> {
  let names: string[];
  try {
    names = (await files.list(layout.subagents)).map((entry) => entry.name).filter(isAgentFile);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { agents: [], setAside: [] };
    return { agents: [], setAside: [{ path: layout.subagents, reason: reasonOf(error) }] };
  }
  const agents: { log: AgentLog; ts: string }[] = [];
  const setAside: { path: string; reason: string }[] = [];
  const all = new Set(names);
  for (const name of names.filter((one) => !isSegment(one, all)).sort()) {
    const path = join(layout.subagents, name);
    const read = await readAgentLog(files, path, name.slice('agent-'.length, -'.jsonl'.length));
    if ('log' in read) agents.push(read);
    else setAside.push({ path, reason: read.reason });
  }
  agents.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : a.log.agent < b.log.agent ? -1 : 1));
  return { agents: agents.map(({ log }) => log), setAside };
}

async function readAgentLog(
  files: Files,
  path: string,
  agent: string,
): Promise<{ log: AgentLog; ts: string } | { reason: string }> {
  let ts = '';
  const read = await readState(files, path, {
    kinds: LIFE_KINDS,
    onRecord: (record) => {
      ts ||= record.ts;
    },
  });
  switch (read.kind) {
    case 'missing':
      return { reason: 'the file no longer exists' };
    case 'unreadable':
      return { reason: read.reason };
    case 'read': {
      const log = agentLog(read.state, agent, path, read.damage.lines);
      return typeof log === 'string' ? { reason: log } : { log, ts };
    }
    default:
      return read satisfies never;
  }
}

/** Derives an agent's log from its state; returns the reason as a string if that is impossible. */
export function agentLog(state: AgentState, agent: string, path: string, damaged = 0): AgentLog | string {
  const { spawned } = state;
  if (spawned === undefined) return 'its first record is missing or damaged';
  if (spawned.agent !== agent) return `it belongs to agent ${spawned.agent}`;
  const runs = [...state.runs.values()].sort((a, b) => a.run - b.run);
  const last = runs.at(-1);
  const begun = state.begun || last !== undefined;
  const ended = last !== undefined && isFinal(last.status);
  const concluded = runs.findLast((run) => run.result !== undefined);
  return {
    agent,
    path,
    spawned,
    runs,
    status: statusOf(last),
    unfinished: begun && !ended && !isHookAgent(spawned) && !spawned.aside,
    begun,
    background: isBackground(spawned, last),
    result: concluded?.result && { run: concluded.run, ...concluded.result },
    // An ended agent passes on notices it never read. For an agent that can be resumed, a waiting notice has arrived.
    delivered: [...state.delivered.values()].filter((notice) => !ended || !isPending(state, notice)),
    damaged,
  };
}

/** A run that was active when its process died is interrupted. */
function statusOf(run: RunLog | undefined): AgentStatus {
  const status = run?.status ?? 'interrupted';
  return status === 'running' || status === 'waiting' ? 'interrupted' : status;
}

function isPending({ pending }: AgentState, notice: NoticeKey): boolean {
  const key = noticeKey(notice);
  return pending.some((input) => input.notice !== undefined && noticeKey(input.notice) === key);
}

/** No one waits for a second or later run unless it names a call; a run that is waited for may have been moved. */
function isBackground(spawned: AgentSpawned, run: RunLog | undefined): boolean {
  if (run?.call !== undefined) return run.moved === true;
  return spawned.background || run?.moved === true || (run?.run ?? 1) > 1;
}

/** Background runs that ended when the process died before their notice was queued. */
export function unannouncedRuns(log: AgentLog): readonly RunLog[] {
  return log.runs.filter((run) => isFinal(run.status) && run.notice === undefined && isBackground(log.spawned, run));
}

export type OwedNotice = NoticeKey & { readonly to: string; readonly text: string };

/** Queued notices that no agent has received. */
export function owedNotices(agents: readonly AgentLog[], isHeld: (key: NoticeKey) => boolean): OwedNotice[] {
  return agents.flatMap(({ agent, runs }) =>
    runs.flatMap(({ run, notice }) =>
      notice === undefined || isHeld({ agent, run }) ? [] : [{ agent, run, ...notice }],
    ),
  );
}

function isAgentFile(name: string): boolean {
  return name.startsWith('agent-') && name.endsWith('.jsonl');
}

/**
 * The agents of a session, from their own transcripts: what each is, where its runs stand, which notices still have to
 * reach whom. A file that can't be used is told and hides no other.
 */

import { join } from 'node:path';
import type { SessionLayout } from '../../config/paths.js';
import { errorCode, type Files } from '../../host/files.js';
import type { AgentState, DurableEvent, NoticeKey } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { readTranscript } from '../transcript/read-transcript.js';
import type { AgentSpawned, RunLog } from './restored.js';
import { isFinal, RunLogs } from './run-logs.js';

export type AgentLog = {
  readonly agent: string;
  readonly path: string;
  readonly spawned: AgentSpawned;
  readonly runs: readonly RunLog[];
  /** Where its last run stands. One that ran when the process died is interrupted. */
  readonly state: AgentState;
  /** The last run did not come to its end. */
  readonly unfinished: boolean;
  /** Its task is on disk. One that died before that has done nothing, and can't go on: nobody knows what with. */
  readonly begun: boolean;
  /** Nobody waits for its last run: its end gives a notice. */
  readonly background: boolean;
  /** What its last finished run came to. */
  readonly result: { readonly run: number; readonly status: string; readonly text: string } | undefined;
  /** Notices that reached this agent from its own children. */
  readonly delivered: readonly NoticeKey[];
  /** Damaged lines that were skipped. */
  readonly damaged: number;
};

export type AgentLogs = {
  /** In the order they were spawned. */
  readonly agents: readonly AgentLog[];
  /** Files that could not be used, with the reason. They stay where they are. */
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
  for (const name of names.filter((one) => !isSegment(one, names)).sort()) {
    const path = join(layout.subagents, name);
    const read = await readAgentLog(files, path, name.slice('agent-'.length, -'.jsonl'.length));
    if ('log' in read) agents.push(read);
    else setAside.push({ path, reason: read.reason });
  }
  agents.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : a.log.agent < b.log.agent ? -1 : 1));
  return { agents: agents.map(({ log }) => log), setAside };
}

/** Only these say anything about the agent's life; the rest is passed over unread. */
const KINDS = new Set([
  'agent-spawned',
  'agent-state-changed',
  'result-made',
  'notice-queued',
  'input-admitted',
  'message-joined',
]);

async function readAgentLog(
  files: Files,
  path: string,
  agent: string,
): Promise<{ log: AgentLog; ts: string } | { reason: string }> {
  const builder = new LogBuilder();
  let ts = '';
  for await (const item of readTranscript(files, path, { kinds: KINDS })) {
    switch (item.kind) {
      case 'record':
        if ('event' in item.record) builder.add(item.record.event, item.record.seq);
        ts ||= item.record.ts;
        break;
      case 'damaged':
        builder.damaged += 1;
        break;
      case 'unreadable':
        return { reason: item.reason };
      case 'missing':
        return { reason: 'it is gone' };
      case 'tail':
        break;
      default:
        item satisfies never;
    }
  }
  const log = builder.finish(agent, path);
  return typeof log === 'string' ? { reason: log } : { log, ts };
}

/** The pure part: events in order, in; the log, or why there is none, out. */
export class LogBuilder {
  damaged = 0;
  #spawned: AgentSpawned | undefined;
  readonly #runs = new RunLogs();
  readonly #delivered: { readonly notice: NoticeKey; readonly seq: number }[] = [];
  readonly #joined = new Set<number>();
  #begun = false;

  add(event: DurableEvent, seq = 0): void {
    switch (event.kind) {
      case 'agent-spawned':
        this.#spawned ??= event;
        return;
      case 'input-admitted':
        if (event.notice !== undefined) this.#delivered.push({ notice: event.notice, seq });
        if (event.origin === 'fork-directive' || event.origin === 'message') this.#begun = true;
        return;
      case 'message-joined':
        for (const part of event.from) this.#joined.add(part);
        return;
      default:
        this.#runs.add(event);
    }
  }

  finish(agent: string, path: string): AgentLog | string {
    const spawned = this.#spawned;
    if (spawned === undefined) return 'its first record is missing or damaged';
    if (spawned.agent !== agent) return `it holds the agent ${spawned.agent}`;
    const runs = this.#runs.all();
    const last = runs.at(-1);
    const begun = this.#begun || last !== undefined;
    const ended = last !== undefined && isFinal(last.state);
    const told = runs.findLast((run) => run.result !== undefined);
    return {
      agent,
      path,
      spawned,
      runs,
      state: last === undefined || last.state === 'running' || last.state === 'waiting' ? 'interrupted' : last.state,
      unfinished: begun && !ended,
      begun,
      background: isBackground(spawned, last),
      result: told?.result && { run: told.run, ...told.result },
      // One that has ended passes on what it never read; what waits for one that can go on has arrived.
      delivered: this.#delivered.filter(({ seq }) => !ended || this.#joined.has(seq)).map(({ notice }) => notice),
      damaged: this.damaged,
    };
  }
}

/** A further run has nobody that waits for it; the first one may have been moved. */
function isBackground(spawned: AgentSpawned, run: RunLog | undefined): boolean {
  return spawned.background || run?.moved === true || (run?.run ?? 1) > 1;
}

/** Runs that came to their end with nobody waiting, and the process died before the notice was queued. */
export function unannouncedRuns(log: AgentLog): readonly RunLog[] {
  return log.runs.filter((run) => isFinal(run.state) && run.notice === undefined && isBackground(log.spawned, run));
}

export type OwedNotice = NoticeKey & { readonly to: string; readonly text: string };

/** Queued, but not in the inbox of whom they are for. `delivered`: by the id of the agent they reached. */
export function owedNotices(
  agents: readonly AgentLog[],
  delivered: (to: string) => readonly NoticeKey[],
): OwedNotice[] {
  return agents.flatMap(({ agent, runs }) =>
    runs.flatMap(({ run, notice }) => {
      if (notice === undefined) return [];
      const reached = delivered(notice.to).some((key) => key.agent === agent && key.run === run);
      return reached ? [] : [{ agent, run, ...notice }];
    }),
  );
}

function isAgentFile(name: string): boolean {
  return name.startsWith('agent-') && name.endsWith('.jsonl');
}

/** `agent-x.1.jsonl` goes on where `agent-x.jsonl` stopped. */
function isSegment(name: string, names: readonly string[]): boolean {
  const first = name.replace(/\.\d+\.jsonl$/, '.jsonl');
  return first !== name && names.includes(first);
}

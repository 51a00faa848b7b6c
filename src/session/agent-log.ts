/**
 * The agents of a session, from their own transcripts: what each is, where its runs stand, which notices still have to
 * reach whom. A file that can't be used is told and hides no other.
 */

import { join } from 'node:path';
import type { SessionPlaces } from '../config/places.js';
import { errorCode, type Files } from '../host/files.js';
import type { AgentState, DurableEvent, NoticeKey } from '../protocol/events.js';
import { readTranscript } from './read-transcript.js';
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
  readonly setAside: readonly { readonly path: string; readonly why: string }[];
};

export async function readAgentLogs(files: Files, places: SessionPlaces): Promise<AgentLogs> {
  let names: string[];
  try {
    names = (await files.list(places.subagents)).map((entry) => entry.name).filter(isAgentFile);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { agents: [], setAside: [] };
    return { agents: [], setAside: [{ path: places.subagents, why: messageOf(error) }] };
  }
  const agents: { log: AgentLog; ts: string }[] = [];
  const setAside: { path: string; why: string }[] = [];
  for (const name of names.filter((one) => !isSegment(one, names)).sort()) {
    const path = join(places.subagents, name);
    const read = await readAgentLog(files, path, name.slice('agent-'.length, -'.jsonl'.length));
    if ('log' in read) agents.push(read);
    else setAside.push({ path, why: read.why });
  }
  agents.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : a.log.agent < b.log.agent ? -1 : 1));
  return { agents: agents.map(({ log }) => log), setAside };
}

/** Only these say anything about the agent's life; the rest is passed over unread. */
const KINDS = new Set(['agent-spawned', 'agent-state-changed', 'result-made', 'notice-queued', 'input-admitted']);

async function readAgentLog(
  files: Files,
  path: string,
  agent: string,
): Promise<{ log: AgentLog; ts: string } | { why: string }> {
  const builder = new LogBuilder();
  let ts = '';
  for await (const item of readTranscript(files, path, { kinds: KINDS })) {
    switch (item.kind) {
      case 'record':
        if ('event' in item.record) builder.add(item.record.event);
        ts ||= item.record.ts;
        break;
      case 'damaged':
        builder.damaged += 1;
        break;
      case 'unreadable':
        return { why: item.why };
      case 'missing':
        return { why: 'it is gone' };
      case 'tail':
        break;
      default:
        item satisfies never;
    }
  }
  const log = builder.finish(agent, path);
  return typeof log === 'string' ? { why: log } : { log, ts };
}

/** The pure part: events in order, in; the log, or why there is none, out. */
export class LogBuilder {
  damaged = 0;
  #spawned: AgentSpawned | undefined;
  readonly #runs = new RunLogs();
  readonly #delivered: NoticeKey[] = [];

  add(event: DurableEvent): void {
    if (event.kind === 'agent-spawned') this.#spawned ??= event;
    else if (event.kind === 'input-admitted' && event.notice !== undefined) this.#delivered.push(event.notice);
    else this.#runs.add(event);
  }

  finish(agent: string, path: string): AgentLog | string {
    const spawned = this.#spawned;
    if (spawned === undefined) return 'its first record is missing or damaged';
    if (spawned.agent !== agent) return `it holds the agent ${spawned.agent}`;
    const runs = this.#runs.all();
    const last = runs.at(-1);
    const unfinished = last === undefined || !isFinal(last.state);
    const ended = runs.findLast((run) => run.result !== undefined);
    return {
      agent,
      path,
      spawned,
      runs,
      state: last === undefined || last.state === 'running' || last.state === 'waiting' ? 'interrupted' : last.state,
      unfinished,
      result: ended?.result && { run: ended.run, ...ended.result },
      delivered: this.#delivered,
      damaged: this.damaged,
    };
  }
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

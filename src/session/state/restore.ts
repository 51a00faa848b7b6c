/**
 * From records to state: a pure reducer that takes one record at a time and keeps no more than the live view. What it
 * answers is what the loop had in memory when the last record was written.
 */

import type { DurableEvent, EpochReason, NoticeKey, RunEndReason } from '../../protocol/events.js';
import { type FrozenBlock, type FrozenMessage, parseBlock } from '../../protocol/frozen-block.js';
import type { PermissionMode } from '../../protocol/permission.js';
import { addUsage, inputTokens, NO_USAGE, type Usage } from '../../protocol/usage.js';
import type { Admitted } from '../inbox.js';
import type { AnyRecord } from '../transcript/read-segment.js';
import type { TranscriptEnd } from '../transcript/transcript.js';
import { mendHistory } from './mend-history.js';
import type {
  AgentSpawned,
  FileState,
  RecordedPrompt,
  RecordedResult,
  Restored,
  SessionStarted,
  TaskStarted,
} from './restored.js';
import { RunLogs } from './run-logs.js';
import { callsIn, toolIdOf } from './tool-ids.js';

export interface Restorer {
  /** Records in order. `segment`: the file it stands in; `past`: what a rewind goes back to. */
  add(record: AnyRecord, segment?: number, past?: Restored): void;
  finish(): Restored;
}

/** `inherited`: the messages a fork began with, already resolved. */
export function createRestorer(inherited: readonly FrozenMessage[] = []): Restorer {
  return new Reducer(inherited);
}

class Reducer implements Restorer {
  #started: SessionStarted | undefined;
  #spawned: AgentSpawned | undefined;
  #history: FrozenMessage[];
  #inherited: number;
  #epoch: Restored['epoch'];
  #newEpoch: EpochReason | undefined;
  #accepted: number | undefined;
  #lastRequest: Restored['lastRequest'] = { tokens: 0, messages: 0 };
  #mode: PermissionMode = 'default';
  #todos: readonly unknown[] = [];
  readonly #callIds: Set<string>;
  #pending: Admitted[] = [];
  /** Of the last reply's calls, by the number of their record. */
  #results = new Map<number, RecordedResult & { readonly call: string }>();
  #intended = new Set<string>();
  /** With the record that brought it first. */
  readonly #delivered = new Map<string, { readonly notice: NoticeKey; readonly seq: number }>();
  readonly #runs = new RunLogs();
  #runEnd: { reason: RunEndReason; line?: string } | undefined;
  #usage: Usage = NO_USAGE;
  #end: TranscriptEnd | undefined;
  #records = 0;
  #unknown = 0;
  /** A record was lost since the last message was joined: it may have been the one that joined the next. */
  #gap = false;
  #turnAt = 0;
  #lastStop: string | undefined;
  #prompts: RecordedPrompt[] = [];
  readonly #fileStates: FileState[] = [];
  readonly #tasks = new Map<string, TaskStarted>();

  constructor(inherited: readonly FrozenMessage[]) {
    this.#history = [...inherited];
    this.#inherited = inherited.length;
    this.#callIds = new Set(callsIn(inherited));
  }

  add(record: AnyRecord, segment = 0, past?: Restored): void {
    if (record.seq !== (this.#end?.seq ?? 0) + 1) this.#gap = true;
    const seq = Math.max(record.seq, this.#end?.seq ?? 0);
    this.#end = { seq, uuid: record.uuid, segment: Math.max(segment, this.#end?.segment ?? 0) };
    this.#records += 1;
    if ('event' in record) this.#reduce(record.seq, record.event, past);
    else this.#unknown += 1;
  }

  #reduce(seq: number, event: DurableEvent, past: Restored | undefined): void {
    switch (event.kind) {
      case 'session-started':
        this.#started ??= event;
        this.#mode = event.mode;
        return;
      case 'agent-spawned':
        this.#spawned ??= event;
        this.#mode = event.mode;
        return;
      case 'epoch-started':
        this.#epoch = { prefix: event.prefix, model: event.model, maxTokens: event.maxTokens };
        this.#newEpoch = undefined;
        return;
      case 'input-admitted':
        this.#admit(seq, event);
        return;
      case 'turn-started':
        this.#turnAt = seq;
        this.#runEnd = undefined;
        return;
      case 'message-joined':
        this.#join(event.from);
        return;
      case 'assistant-replied':
        this.#reply(event);
        return;
      case 'call-intended':
        this.#intended.add(event.call);
        return;
      case 'call-finished':
        this.#results.set(seq, { seq, call: event.call, blocks: event.blocks });
        return;
      case 'history-compacted':
        this.#beginAnew(event.blocks.length > 0 ? [{ role: 'user', blocks: event.blocks }] : [], 'compaction');
        this.#inherited = 0;
        this.#results.clear();
        return;
      case 'history-mended':
        this.#mend(event);
        return;
      case 'agent-state-changed':
      case 'result-made':
      case 'notice-queued':
        this.#runs.add(event);
        return;
      case 'todos-changed':
        this.#todos = event.items;
        return;
      case 'mode-changed':
        this.#mode = event.mode;
        return;
      case 'run-ended':
        this.#runEnd = { reason: event.reason, ...(event.line === undefined ? {} : { line: event.line }) };
        // The sum of the agent so far, with what was paid for and left no record.
        this.#usage = event.usage;
        return;
      case 'history-rewound':
        this.#rewind(seq, event, past);
        return;
      case 'task-started':
        this.#tasks.set(event.task, event);
        return;
      case 'file-kept':
        this.#fileStates.push({ seq, kind: 'kept', path: event.path, sha256: event.sha256 });
        return;
      case 'file-left':
        this.#fileStates.push({ seq, kind: 'left', path: event.path, sha256: event.sha256 });
        return;
      case 'permission-answered':
      case 'fault-met':
        return;
      default:
        event satisfies never;
    }
  }

  #admit(seq: number, { origin, notice, blocks }: Extract<DurableEvent, { kind: 'input-admitted' }>): void {
    if (notice !== undefined) {
      const key = `${notice.agent} ${notice.run}`;
      if (!this.#delivered.has(key)) this.#delivered.set(key, { notice, seq });
    }
    if (origin === 'person') this.#prompts.push({ seq, words: firstWords(blocks) });
    this.#pending.push({ seq, origin, ...(notice === undefined ? {} : { notice }), blocks });
  }

  #join(from: readonly number[]): void {
    const joined = new Set(from);
    const inputs = new Map(this.#pending.map((input) => [input.seq, input]));
    const blocks = from.flatMap((seq) => this.#results.get(seq)?.blocks ?? inputs.get(seq)?.blocks ?? []);
    this.#pending = this.#pending.filter((input) => !joined.has(input.seq));
    for (const seq of from) this.#results.delete(seq);
    if (blocks.length > 0) {
      this.#history.push({ role: 'user', blocks });
      this.#lastStop = undefined;
    }
    this.#gap = false;
  }

  #reply(event: Extract<DurableEvent, { kind: 'assistant-replied' }>): void {
    if (this.#gap) this.#joinLost();
    const messages = this.#history.length;
    this.#accepted = messages;
    this.#usage = addUsage(this.#usage, event.usage);
    if (event.stop !== 'interrupted') {
      this.#lastRequest = { tokens: inputTokens(event.usage) + event.usage.output, messages: messages + 1 };
    }
    this.#results.clear();
    this.#intended.clear();
    this.#lastStop = event.stop;
    if (event.blocks.length === 0) return;
    for (const id of callsIn([{ role: 'assistant', blocks: event.blocks }])) this.#callIds.add(id);
    this.#history.push({ role: 'assistant', blocks: event.blocks });
  }

  /** The model has answered, so what was there before the turn began was joined: results in the order of the calls, then input. */
  #joinLost(): void {
    const order = callsIn(this.#history.slice(-1));
    const place = (call: string) => (order.includes(call) ? order.indexOf(call) : order.length);
    const results = [...this.#results.values()]
      .filter((result) => result.seq < this.#turnAt && order.includes(result.call))
      .sort((a, b) => place(a.call) - place(b.call));
    const inputs = this.#pending.filter((input) => input.seq < this.#turnAt);
    if (results.length + inputs.length > 0) this.#join([...results, ...inputs].map((part) => part.seq));
  }

  #mend(event: Extract<DurableEvent, { kind: 'history-mended' }>): void {
    const before = this.#accepted;
    const kept = before !== undefined && event.message >= before;
    const inherited = event.message < 0 || event.message < this.#inherited ? 0 : this.#inherited;
    const mended = mendHistory(this.#history, event);
    if (!kept) this.#beginAnew(mended, 'history-rejected');
    this.#history = mended;
    this.#inherited = inherited;
  }

  /** What is known for good stays known: ids that were used, notices that arrived, what was spent. */
  #rewind(seq: number, event: Extract<DurableEvent, { kind: 'history-rewound' }>, past: Restored | undefined): void {
    for (const { path, sha256 } of event.files) this.#fileStates.push({ seq, kind: 'left', path, sha256 });
    if (!event.conversation || past === undefined) return;
    this.#beginAnew([...past.history], 'rewind');
    this.#inherited = past.inherited;
    this.#todos = past.todos;
    this.#pending = [...past.pending];
    this.#results = new Map([...past.results].map(([call, { seq: at, blocks }]) => [at, { seq: at, call, blocks }]));
    this.#intended = new Set(past.intended);
    this.#lastStop = past.lastStop;
    this.#prompts = this.#prompts.filter((prompt) => prompt.seq < event.before);
  }

  #beginAnew(history: FrozenMessage[], reason: EpochReason): void {
    this.#history = history;
    this.#newEpoch = reason;
    this.#accepted = undefined;
    this.#lastRequest = { tokens: 0, messages: 0 };
  }

  finish(): Restored {
    const results = new Map<string, RecordedResult>();
    for (const { call, seq, blocks } of this.#results.values()) {
      // The last that was recorded counts.
      if (blocks.length === 1 && blocks.every((block) => toolIdOf(block) === call)) results.set(call, { seq, blocks });
    }
    return {
      started: this.#started,
      spawned: this.#spawned,
      history: this.#history,
      inherited: this.#inherited,
      epoch: this.#epoch,
      newEpoch: this.#newEpoch ?? (this.#epoch === undefined ? 'session-start' : undefined),
      accepted: this.#accepted,
      lastStop: this.#lastStop,
      lastRequest: this.#lastRequest,
      mode: this.#mode === 'bypassPermissions' ? 'default' : this.#mode,
      todos: this.#todos,
      prompts: this.#prompts,
      fileStates: this.#fileStates,
      openTasks: [...this.#tasks.values()].filter(({ task }) => !this.#delivered.has(`${task} 1`)),
      callIds: this.#callIds,
      pending: this.#pending.filter((input) => this.#isFirst(input)),
      results,
      intended: this.#intended,
      delivered: [...this.#delivered.values()].map(({ notice }) => notice),
      runs: this.#runs.all(),
      runEnd: this.#runEnd,
      usage: this.#usage,
      end: this.#end,
      records: this.#records,
      unknown: this.#unknown,
    };
  }

  /** The same notice twice is one notice. */
  #isFirst({ seq, notice }: Admitted): boolean {
    return notice === undefined || this.#delivered.get(`${notice.agent} ${notice.run}`)?.seq === seq;
  }
}

const MAX_WORDS = 200;

/** Of a prompt, enough to know it by. */
function firstWords(blocks: readonly FrozenBlock[]): string {
  const words = blocks.map((block) => {
    const parsed = parseBlock(block);
    return parsed.type === 'text' ? parsed.text : `[${parsed.type}]`;
  });
  return words.join(' ').replace(/\s+/g, ' ').trim().slice(0, MAX_WORDS).toWellFormed();
}

/**
 * Audits a session's prompt caching from its records: a row per request, the epochs, and what the forks cost compared
 * with not having their parent's cache. Pure.
 */

import { costOf, costWithoutCache, type ModelOverrides, modelData } from '../../model/models.js';
import {
  type DurableEvent,
  type EpochReason,
  MAIN_AGENT,
  type SharedBytes,
  type Siblings,
} from '../../protocol/events.js';
import { inputTokens, type Usage } from '../../protocol/usage.js';

export type AuditRow = {
  readonly agent: string;
  readonly type: string;
  /** Its purpose, or `discarded` if its response was cut off or stopped. */
  readonly purpose: 'turn' | 'compaction' | 'discarded' | 'hand-off check' | 'web search';
  /** Counted per agent, from 1. */
  readonly request: number;
  readonly model: string;
  /** Without cache breakpoints; undefined if not recorded. */
  readonly bytes: number | undefined;
  /** How many of the expected bytes it repeated; undefined for the first request of an epoch. */
  readonly shared: (SharedBytes & { readonly percent: number }) | undefined;
  readonly cacheRead: number;
  readonly cacheWritten: number;
  readonly uncached: number;
  readonly output: number;
  /** Undefined if the model has no price. */
  readonly usd: number | undefined;
  /** Set on the first request of an epoch. */
  readonly epoch: EpochReason | undefined;
  /** True for the first request of a fork. */
  readonly forkStart: boolean;
  /** What the fork sees of its siblings; undefined for others, or if not recorded. */
  readonly siblings: Siblings | undefined;
};

export type EpochRow = {
  readonly agent: string;
  readonly reason: EpochReason;
  /** Its first request; undefined if none was made. */
  readonly request: number | undefined;
  /** Input tokens not read from the cache at its start, and their cost. */
  readonly paidTokens: number;
  readonly usd: number | undefined;
};

type ForkSummary = {
  readonly count: number;
  readonly usd: number;
  /** Cost of the same work if each fork had paid the base price for its first request. */
  readonly usdWithoutSharing: number;
  readonly usdSaved: number;
  readonly sharedBytes: number;
  readonly ofBytes: number;
};

export type CacheAudit = {
  readonly rows: readonly AuditRow[];
  readonly epochs: readonly EpochRow[];
  readonly forks: ForkSummary;
  readonly total: { readonly requests: number; readonly usd: number; readonly usdUncached: number };
};

type RecordedRequest = {
  readonly model?: string;
  readonly usage: Usage;
  readonly requestBytes?: number;
  readonly shared?: SharedBytes;
};

type AgentNotes = {
  type: string;
  isFork: boolean;
  siblings: Siblings | undefined;
  requests: number;
  /** A request of the agent's own conversation. */
  hasSent: boolean;
  epoch: EpochReason | undefined;
};

export class CacheAuditor {
  readonly #models: ModelOverrides;
  readonly #agents = new Map<string, AgentNotes>();
  readonly #rows: AuditRow[] = [];
  readonly #epochs: EpochRow[] = [];
  #forks = { count: 0, usd: 0, usdWithoutSharing: 0, sharedBytes: 0, ofBytes: 0 };
  #total = { requests: 0, usd: 0, usdUncached: 0 };

  constructor(models: ModelOverrides = {}) {
    this.#models = models;
  }

  /** Adds the records of one agent, in order. */
  add(agent: string, event: DurableEvent): void {
    const notes = this.#notes(agent);
    switch (event.kind) {
      case 'agent-spawned':
        notes.type = event.type;
        notes.isFork = event.fork !== undefined;
        notes.siblings = event.fork?.siblings;
        if (notes.isFork) this.#forks.count += 1;
        return;
      case 'epoch-started':
        this.#closeEpoch(agent, notes);
        notes.epoch = event.reason;
        return;
      case 'assistant-replied':
        this.#addRequest(agent, notes, 'turn', event);
        return;
      case 'response-discarded':
        // A rejected request used nothing.
        if (inputTokens(event.usage) > 0) this.#addRequest(agent, notes, 'discarded', event);
        return;
      case 'history-compacted':
        if (event.usage !== undefined) this.#addRequest(agent, notes, 'compaction', { ...event, usage: event.usage });
        return;
      case 'notice-queued':
      case 'input-admitted':
        if (event.check !== undefined) this.#addRequest(agent, notes, 'hand-off check', event.check);
        return;
      case 'call-finished':
        if (event.paid !== undefined) this.#addRequest(agent, notes, 'web search', event.paid);
        return;
      default:
        return;
    }
  }

  finish(): CacheAudit {
    for (const [agent, notes] of this.#agents) this.#closeEpoch(agent, notes);
    const { usd, usdWithoutSharing } = this.#forks;
    const forks = { ...this.#forks, usdSaved: usdWithoutSharing - usd };
    return { rows: this.#rows, epochs: this.#epochs, forks, total: this.#total };
  }

  #addRequest(agent: string, notes: AgentNotes, purpose: AuditRow['purpose'], request: RecordedRequest): void {
    const { usage, shared, model = '' } = request;
    const data = modelData(model, this.#models);
    const usd = costOf(usage, data);
    const uncachedUsd = costWithoutCache(usage, data);
    notes.requests += 1;
    // A side request begins no epoch, and repeats nothing of the agent's parent.
    const isOwn = purpose !== 'hand-off check' && purpose !== 'web search';
    const forkStart = isOwn && notes.isFork && !notes.hasSent;
    notes.hasSent ||= isOwn;
    const epoch = isOwn ? notes.epoch : undefined;
    this.#rows.push({
      agent,
      type: notes.type,
      purpose,
      request: notes.requests,
      model,
      bytes: request.requestBytes,
      shared: shared && { ...shared, percent: shared.of === 0 ? 100 : (100 * shared.bytes) / shared.of },
      cacheRead: usage.cacheRead,
      cacheWritten: written(usage),
      uncached: usage.input,
      output: usage.output,
      usd,
      epoch,
      forkStart,
      siblings: forkStart ? notes.siblings : undefined,
    });
    if (epoch !== undefined) {
      const paidTokens = usage.input + written(usage);
      const paid = costOf({ ...usage, cacheRead: 0, output: 0 }, data);
      this.#epochs.push({ agent, reason: epoch, request: notes.requests, paidTokens, usd: paid });
      notes.epoch = undefined;
    }
    this.#total.requests += 1;
    this.#total.usd += usd ?? 0;
    this.#total.usdUncached += uncachedUsd ?? 0;
    if (!notes.isFork || !isOwn) return;
    this.#forks.usd += usd ?? 0;
    this.#forks.usdWithoutSharing += (forkStart ? uncachedUsd : usd) ?? 0;
    if (!forkStart || shared === undefined) return;
    this.#forks.sharedBytes += shared.bytes;
    this.#forks.ofBytes += shared.of;
  }

  /** Closes an epoch without a request. */
  #closeEpoch(agent: string, notes: AgentNotes): void {
    if (notes.epoch === undefined) return;
    this.#epochs.push({ agent, reason: notes.epoch, request: undefined, paidTokens: 0, usd: undefined });
    notes.epoch = undefined;
  }

  #notes(agent: string): AgentNotes {
    const known = this.#agents.get(agent);
    if (known !== undefined) return known;
    const type = agent === MAIN_AGENT ? MAIN_AGENT : '?';
    const notes = { type, isFork: false, siblings: undefined, requests: 0, hasSent: false, epoch: undefined };
    this.#agents.set(agent, notes);
    return notes;
  }
}

/** Share of all input tokens that was read from the cache. */
export function readShare(rows: readonly AuditRow[]): number | undefined {
  let read = 0;
  let all = 0;
  for (const { cacheRead, cacheWritten, uncached } of rows) {
    read += cacheRead;
    all += inputTokens({ input: uncached, output: 0, cacheRead, cacheWrite5m: cacheWritten, cacheWrite1h: 0 });
  }
  return all === 0 ? undefined : read / all;
}

function written({ cacheWrite5m, cacheWrite1h }: Usage): number {
  return cacheWrite5m + cacheWrite1h;
}

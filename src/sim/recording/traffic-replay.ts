/**
 * Finds the recorded exchange for a request. Each is used once, in any order; the first request without a match ends
 * the replay.
 */

import { isObject } from '../json-value.js';
import { describeMismatch, describeRequest, messagesOf } from './difference.js';
import { folderOf, type KnownValues } from './find-varying.js';
import { expandAnswer } from './recorded-answer.js';
import type { RecordedAgent, RecordedExchange } from './recording.js';
import { Templater } from './templater.js';
import { Bindings, type Mismatch, Trial, unify } from './unify.js';

export type TrafficReplayOptions = {
  readonly exchanges: readonly RecordedExchange[];
  /** Current values. Omitted: detected from the requests. */
  readonly known?: KnownValues;
  /** Hidden in a difference. */
  readonly secrets?: readonly string[];
  /** Body fields that may differ. Default: `metadata`, which identifies the session. */
  readonly ignore?: readonly string[];
  /** What to do if the change is intended, for the message. */
  readonly advice?: string;
};

export type ReplayStatus = {
  /** The number of exchanges in the recording, and how many of them were replayed. */
  readonly recorded: number;
  readonly played: number;
  /** Describes the first request that differed from the recording. */
  readonly difference?: string;
  /** Descriptions of recorded requests that were not made. */
  readonly missing: readonly string[];
  /** True if nothing differed and nothing is missing. Final when the session is closed. */
  readonly ok: boolean;
};

export type AskedRequest = {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly agent?: RecordedAgent | undefined;
};

export type Taken =
  | {
      readonly kind: 'found';
      readonly exchange: RecordedExchange;
      /** With current values. */
      readonly body: string;
    }
  | { readonly kind: 'differs'; readonly difference: string };

export class TrafficReplay {
  readonly #options: TrafficReplayOptions;
  readonly #left: RecordedExchange[];
  readonly #bindings: Bindings;
  readonly #templater: Templater;
  #difference: string | undefined;
  #hasFolder: boolean;

  constructor(options: TrafficReplayOptions) {
    const { exchanges, known = {}, secrets = [] } = options;
    this.#options = options;
    this.#left = [...exchanges];
    this.#bindings = new Bindings(known);
    this.#templater = new Templater(known, secrets);
    this.#hasFolder = known.folder !== undefined;
  }

  take(request: AskedRequest): Taken {
    if (this.#difference !== undefined) return { kind: 'differs', difference: this.#difference };
    const now = this.#without(request.body);
    if (!this.#hasFolder) this.#learnFolder(now);
    for (const exchange of this.#candidates(request)) {
      const trial = new Trial(this.#bindings);
      if (this.#compare(exchange, request, now, trial) !== undefined) continue;
      trial.keep();
      this.#left.splice(this.#left.indexOf(exchange), 1);
      return { kind: 'found', exchange, body: expandAnswer(exchange.response.body, this.#bindings.valueOf) };
    }
    this.#difference = this.#describe(request, now);
    return { kind: 'differs', difference: this.#difference };
  }

  /** The recorded position of the agent's next request; undefined if it makes no more. */
  nextStart(agent: string): number | undefined {
    let first: number | undefined;
    for (const { agent: of, started } of this.#left) {
      if (of?.key === agent && started !== undefined && started < (first ?? Number.POSITIVE_INFINITY)) first = started;
    }
    return first;
  }

  get status(): ReplayStatus {
    const { exchanges } = this.#options;
    const missing = this.#left.map((one) => `${this.#nameOf(one)}, ${describeRequest(one.request.body)}`);
    const difference = this.#difference;
    return {
      recorded: exchanges.length,
      played: exchanges.length - this.#left.length,
      ...(difference === undefined ? {} : { difference }),
      missing,
      ok: difference === undefined && missing.length === 0,
    };
  }

  #learnFolder(body: unknown): void {
    const folder = folderOf(body);
    if (folder === undefined) return;
    this.#hasFolder = true;
    this.#bindings.set('folder', folder);
    this.#templater.addValues({ folder });
  }

  /** Exchanges of the same agent, if it is known on both sides. */
  #candidates({ agent }: AskedRequest): readonly RecordedExchange[] {
    if (agent === undefined) return [...this.#left];
    return this.#left.filter((one) => one.agent === undefined || one.agent.key === agent.key);
  }

  #compare(exchange: RecordedExchange, asked: AskedRequest, now: unknown, trial: Trial): Mismatch | undefined {
    const { method, path, body } = exchange.request;
    return (
      unify(method, asked.method, trial, ['method']) ??
      unify(path, asked.path, trial, ['path']) ??
      unify(this.#without(body), now, trial)
    );
  }

  #without(body: unknown): unknown {
    const ignored = this.#options.ignore ?? ['metadata'];
    if (!isObject(body)) return body;
    return Object.fromEntries(Object.entries(body).filter(([name]) => !ignored.includes(name)));
  }

  #nameOf(exchange: RecordedExchange): string {
    const { exchanges } = this.#options;
    return `request ${exchanges.indexOf(exchange) + 1} of ${exchanges.length}${nameAgent(exchange.agent)}`;
  }

  /** Compares with the most similar exchange. */
  #describe(asked: AskedRequest, now: unknown): string {
    const { exchanges, advice } = this.#options;
    const total = exchanges.length;
    const near = this.#nearest(this.#candidates(asked), now);
    const end = advice === undefined ? [] : [advice];
    if (near === undefined) {
      const all = total === 0 ? 'which is empty' : `of which all ${total} were played`;
      // Exchanges of other agents are irrelevant here.
      const played = this.#left.length === 0 ? all : 'which has no more of this agent';
      const what = `${asked.method} ${asked.path}${nameAgent(asked.agent)}, ${describeRequest(now)}`;
      return [`One request more than recorded: ${what}, is not in the recording, ${played}.`, ...end].join('\n');
    }
    const recorded = this.#without(near.request.body);
    // Breakpoints move with the content, so a difference in the content is more useful.
    const mismatch =
      unify(withoutMarks(recorded), withoutMarks(now), new Trial(this.#bindings)) ??
      this.#compare(near, asked, now, new Trial(this.#bindings));
    const show = (text: string) => this.#templater.ofReply(text, new Set());
    const where =
      mismatch === undefined
        ? 'only in the order of requests'
        : describeMismatch(mismatch, { recorded, now, bindings: this.#bindings, show });
    const name = this.#nameOf(near);
    return [`${name[0]?.toUpperCase()}${name.slice(1)} differs from the recording ${where}`, ...end].join('\n');
  }

  #nearest(candidates: readonly RecordedExchange[], now: unknown): RecordedExchange | undefined {
    let best: RecordedExchange | undefined;
    let most = -1;
    for (const one of candidates) {
      const similar = this.#similarity(this.#without(one.request.body), now);
      if (similar <= most) continue;
      best = one;
      most = similar;
    }
    return best;
  }

  /** The number of equal characters. */
  #similarity(recorded: unknown, now: unknown): number {
    if (!isObject(recorded) || !isObject(now)) return recorded === now ? 1 : 0;
    const same = (one: unknown, other: unknown) => {
      const [before = '', after = ''] = [JSON.stringify(one), JSON.stringify(other)];
      if (unify(one, other, new Trial(this.#bindings)) === undefined) return before.length + 1;
      // A common beginning adds to the similarity.
      let begin = 0;
      while (begin < before.length && before[begin] === after[begin]) begin += 1;
      return begin / 2;
    };
    const [theirs, ours] = [messagesOf(recorded), messagesOf(now)];
    const fields = ['model', 'tools', 'system'].reduce((sum, name) => sum + same(recorded[name], now[name]), 0);
    // A conversation of the same length is more similar than one with only a common beginning.
    const length = theirs.length === ours.length ? 500 : 0;
    return theirs.reduce<number>((sum, message, index) => sum + same(message, ours[index]), fields + length);
  }
}

function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (!isObject(value)) return value;
  const others = Object.entries(value).filter(([name]) => name !== 'cache_control');
  return Object.fromEntries(others.map(([name, item]) => [name, withoutMarks(item)]));
}

function nameAgent(agent: RecordedAgent | undefined): string {
  if (agent === undefined) return '';
  return agent.key === 'main' ? ' (the main agent)' : ` (child "${agent.name ?? agent.key}")`;
}

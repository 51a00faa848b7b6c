/**
 * The inbox: the only way anything reaches a running agent (prompts, reminders, notices, messages).
 * Admitting is durable and happens before anything runs; the loop takes admitted input at its next safe point.
 * A run ends by closing its inbox: earlier input is taken, later input is refused, none is lost.
 */

import { untilWoken } from '../host/clock.js';
import type { UserBlock } from '../protocol/blocks.js';
import type { Announcements, DurableEventOf, NoticeKey, Origin, SideRequest } from '../protocol/events.js';
import { type FrozenBlock, freezeBlock, isBlankText } from '../protocol/frozen-block.js';
import type { Result } from '../protocol/result.js';
import type { Emit } from './emit.js';
import { type Admitted, type AgentState, noticeKey } from './state/agent-state.js';

export type Input = {
  readonly origin: Origin;
  /** Several inputs with the same key are admitted once. A notice is its own key. */
  readonly key: string | NoticeKey;
  /** The facts it announces, so that later changes are noticed. */
  readonly announcements?: Announcements;
  readonly check?: SideRequest | undefined;
  /** It is not read before `release`. */
  readonly held?: boolean;
  readonly shell?: DurableEventOf<'input-admitted'>['shell'];
};

export type TakenBack = Result<{ readonly blocks: readonly FrozenBlock[] }>;

export class Inbox {
  readonly #state: AgentState;
  readonly #emit: Emit;
  #closed = false;
  /** Inputs that need an answer and are not on disk yet. */
  #coming = 0;
  readonly #landing = new Map<string, Promise<unknown>>();
  /** Inputs that are being joined to a message or withdrawn: only one of the two may happen. */
  readonly #leaving = new Set<number>();
  readonly #takenBack = new Set<string>();
  readonly #waiters = new Set<() => void>();
  /** While it returns true, the inbox stays open when a run ends, because the agent is waiting for input. */
  keepOpen: () => boolean = () => false;
  /** Awaited before anything is admitted, during the replay of a recorded session. */
  holdBack: ((input: Input) => Promise<void>) | undefined;

  constructor(state: AgentState, emit: Emit) {
    this.#state = state;
    this.#emit = emit;
  }

  /**
   * Resolves with true once the input is on disk and will be taken; with false, having written nothing, if the inbox is
   * closed. Blank text is dropped; input of only blank text admits nothing.
   */
  async admit(input: Input, content: readonly UserBlock[]): Promise<boolean> {
    return this.admitFrozen(input, content.filter((block) => !isBlankText(block)).map(freezeBlock));
  }

  /** Like `admit`, for blocks that are already frozen. */
  async admitFrozen(input: Input, blocks: readonly FrozenBlock[]): Promise<boolean> {
    const { origin, key, announcements, check, shell, held = false } = input;
    if (this.holdBack !== undefined && !this.#closed) await this.holdBack(input);
    if (this.#closed) return false;
    if (blocks.length === 0) return true;
    const once = typeof key === 'string' ? key : noticeKey(key);
    if (this.#state.admittedKeys.has(once)) return true;
    const known = this.#landing.get(once);
    if (known !== undefined) return known.then(() => true);
    const asks = asksForAnswer(origin) && !held ? 1 : 0;
    this.#coming += asks;
    const keyed = typeof key === 'string' ? { key } : { notice: key };
    const more = {
      ...(announcements ? { tells: announcements } : {}),
      ...(check ? { check } : {}),
      ...(shell ? { shell } : {}),
      ...(held ? { held } : {}),
    };
    const landing = this.#emit({ kind: 'input-admitted', origin, ...keyed, ...more, blocks });
    this.#landing.set(once, landing);
    try {
      await landing;
      return true;
    } finally {
      this.#landing.delete(once);
      this.#coming -= asks;
      for (const wake of [...this.#waiters]) wake();
    }
  }

  /** Resolves when every pending write has succeeded or failed. */
  async landed(): Promise<void> {
    while (this.#landing.size > 0) await Promise.allSettled(this.#landing.values());
  }

  /** The unread notices, to pass on if this agent will not read them. */
  notices(): readonly Admitted[] {
    return this.#state.pending.filter((input) => input.origin === 'notice');
  }

  /** True if waiting input has the results for the calls of the last reply. */
  get closesCalls(): boolean {
    return this.#state.pending.some((input) => input.origin === 'fork-placeholders');
  }

  /**
   * True if waiting input needs an answer: not reminders or shell output, nor held input or input that is being
   * withdrawn.
   */
  get asks(): boolean {
    return this.#state.pending.some((input) => asksForAnswer(input.origin) && this.#isFree(input));
  }

  /** True if a message of the user is waiting. */
  get hasUserMessage(): boolean {
    return this.#state.pending.some((input) => input.origin === 'person' && this.#isFree(input));
  }

  /** True if one of these is held; omitted: any. By keys of the user's messages. */
  holds(keys?: ReadonlySet<string>): boolean {
    return this.#held(keys).length > 0;
  }

  #held(keys?: ReadonlySet<string>): readonly Admitted[] {
    const matches = ({ key = '' }: Admitted) =>
      keys === undefined || [...keys].some((one) => key === one || key.startsWith(addedTo(one)));
    return this.#state.pending.filter((input) => input.held && !this.#leaving.has(input.seq) && matches(input));
  }

  #isFree({ seq, held }: Admitted): boolean {
    return held !== true && !this.#leaving.has(seq);
  }

  /** Joins waiting input to a message with `join`. Input can be read or withdrawn, but not both. */
  async read(join: (inputs: readonly number[]) => Promise<unknown>): Promise<void> {
    const inputs = this.#state.pending.filter((input) => this.#isFree(input)).map(({ seq }) => seq);
    await this.#leave(inputs, () => join(inputs));
  }

  /** Withdraws a message of the user, with additions to it, unless it was read. `seq`: its record. */
  async takeBack(seq: number): Promise<TakenBack> {
    const input = this.#state.pending.find((one) => one.seq === seq && one.origin === 'person');
    if (input === undefined || this.#leaving.has(seq)) return { ok: false, reason: 'it has been read' };
    const { key } = input;
    if (key !== undefined) this.#takenBack.add(key);
    const isAdded = (one: Admitted) => key !== undefined && one.origin === 'hook' && one.key?.startsWith(addedTo(key));
    const inputs = [input, ...this.#state.pending.filter(isAdded)].map((one) => one.seq);
    await this.#leave(inputs, () => this.#emit({ kind: 'input-withdrawn', inputs }));
    return { ok: true, blocks: input.blocks };
  }

  wasTakenBack(key: string): boolean {
    return this.#takenBack.has(key);
  }

  /** Releases these, or all held messages, to be read like any other. Returns the number of user messages among them. */
  async release(keys?: ReadonlySet<string>): Promise<number> {
    const held = this.#held(keys);
    if (held.length > 0) await this.#emit({ kind: 'input-released', inputs: held.map(({ seq }) => seq) });
    for (const wake of [...this.#waiters]) wake();
    return held.filter(({ origin }) => origin === 'person').length;
  }

  async #leave(inputs: readonly number[], write: () => Promise<unknown>): Promise<void> {
    for (const seq of inputs) this.#leaving.add(seq);
    try {
      await write();
    } finally {
      for (const seq of inputs) this.#leaving.delete(seq);
    }
  }

  /**
   * Closes unless input waits or is being written. Once closed, nothing is admitted. Returns true if the run may end,
   * also if the inbox stays open.
   */
  tryClose(): boolean {
    if (this.asks || this.#coming > 0) return false;
    this.#closed = !this.keepOpen();
    return true;
  }

  /** Closes as soon as nothing is being written. Returns false, and stays open, when input waits. */
  async closeOnceLanded(): Promise<boolean> {
    while (!this.tryClose()) {
      if (this.asks) return false;
      await this.landed();
    }
    return true;
  }

  /** Closes regardless of waiting input. Input being written still arrives and stays for the next run. */
  close(): void {
    this.#closed = true;
  }

  open(): void {
    this.#closed = false;
    for (const wake of [...this.#waiters]) wake();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Resolves when input that needs an answer is waiting, or the signal aborts. */
  arrival(signal: AbortSignal): Promise<void> {
    return this.#until(() => this.asks, signal);
  }

  /** Resolves when a message of the user is waiting, or the signal aborts. */
  userMessage(signal: AbortSignal): Promise<void> {
    return this.#until(() => this.hasUserMessage, signal);
  }

  /** Resolves when the inbox is open, or the signal aborts. */
  opening(signal: AbortSignal): Promise<void> {
    return this.#until(() => !this.#closed, signal);
  }

  async #until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    while (!holds() && !signal.aborted) {
      await untilWoken(this.#waiters, signal);
    }
  }
}

/** The prefix of the keys of additions by hooks to a message. */
export function addedTo(key: string): string {
  return `${key} hook `;
}

function asksForAnswer(origin: Origin): boolean {
  return origin !== 'reminder' && origin !== 'shell';
}

/** Queues prompts: each gets its own run and its own `result`. */

import type { IdleResult } from '../../../engine/wait-until-idle.js';
import { aborted, newAbort, realClock } from '../../../host/clock.js';
import { newRandomId } from '../../../host/node-host.js';
import type { RunEnd } from '../../../loop/run-loop.js';
import type { UserBlock } from '../../../protocol/blocks.js';
import { once } from '../../../protocol/once.js';
import type { Session } from '../../sdk/session.js';
import { sendTyped } from '../../sdk/typed-commands.js';
import { NOT_SENT, resultObject } from '../../view/result.js';
import type { SessionView } from '../../view/session-view.js';
import { subtractTotals, type Totals } from '../../view/session-view.js';

const NOTHING_OPEN = { stopped: [], unreported: [] };

/** A prompt of a client. Its id becomes the prompt's key: it is admitted once per key, and later requests can name it. */
export type PromptToAnswer = {
  readonly blocks: readonly UserBlock[];
  readonly content: unknown;
  readonly uuid?: string;
};

export type PromptQueueOptions = {
  readonly print: (line: object) => void;
  /** Echoes each prompt when it starts. */
  readonly replays?: boolean;
  /** Called before the first one starts. */
  readonly introduce: () => Promise<void>;
};

/** A client that sends more does not wait for answers. */
export const MAX_QUEUED = 1000;

export class PromptQueue {
  readonly #session: Session;
  readonly #print: (line: object) => void;
  readonly #replays: boolean;
  readonly #view: SessionView;
  /** In order, without dropped ones. */
  readonly #waiting = new Set<PromptToAnswer>();
  #last: Promise<void> = Promise.resolve();
  #stopped = false;
  #halt = () => {};
  readonly #halted = new Promise<undefined>((resolve) => {
    this.#halt = () => resolve(undefined);
  });
  readonly #introduce: () => Promise<void>;
  #beforeSent: AbortController | undefined;
  /** A prompt is being answered. */
  #isAnswering = false;
  /** When the last result was printed, and what had been used by then. */
  #lastPrinted: { readonly totals: Totals; readonly at: number };
  lastEnd: RunEnd | undefined;

  constructor(session: Session, view: SessionView, { print, introduce, replays = false }: PromptQueueOptions) {
    this.#session = session;
    this.#view = view;
    this.#print = print;
    this.#replays = replays;
    this.#introduce = once(introduce);
    this.#lastPrinted = { totals: view.totals, at: realClock.elapsed() };
    session.onWoken((end) => this.#tellWoken(end));
  }

  /** Returns false if too many are queued. */
  push(prompt: PromptToAnswer): boolean {
    if (this.#waiting.size >= MAX_QUEUED) return false;
    this.#waiting.add(prompt);
    this.#last = this.#last.then(() => this.#answer(prompt));
    return true;
  }

  /** The names of queued prompts, in order. */
  get waiting(): readonly string[] {
    return [...this.#waiting].flatMap(({ uuid }) => uuid ?? []);
  }

  /** Drops a queued prompt. False if it has started, or the name is unknown. */
  cancel(uuid: string): boolean {
    const found = [...this.#waiting].find((prompt) => prompt.uuid === uuid);
    return found !== undefined && this.#waiting.delete(found);
  }

  /** Drops all queued prompts; returns the names of those that have one. */
  cancelAll(): readonly string[] {
    const names = this.waiting;
    this.#waiting.clear();
    return names;
  }

  /** Resolves when every queued prompt is answered. */
  done(): Promise<void> {
    return this.#last;
  }

  /** Waits up to `waitMs` for background tasks. */
  async settle(waitMs: number): Promise<Pick<IdleResult, 'stopped' | 'unreported'>> {
    if (this.#stopped) return NOTHING_OPEN;
    const settled = await Promise.race([this.#session.settled(waitMs), this.#halted]);
    // Work that neither a prompt nor a notice started.
    if (settled?.end !== undefined && settled.end !== this.lastEnd) this.#tellWoken(settled.end);
    return settled ?? NOTHING_OPEN;
  }

  /** Interrupts the current work, even if its prompt still waits for the session's servers. */
  interrupt(): void {
    this.#beforeSent?.abort();
    this.#session.interrupt();
  }

  /** Drops queued prompts. */
  stop(): void {
    this.#stopped = true;
    this.#halt();
    this.#session.interrupt();
  }

  async #answer(prompt: PromptToAnswer): Promise<void> {
    if (!this.#waiting.delete(prompt) || this.#stopped) return;
    const { blocks, content, uuid: key = newRandomId() } = prompt;
    this.#isAnswering = true;
    this.#beforeSent = newAbort();
    const { signal } = this.#beforeSent;
    await Promise.race([this.#introduce(), this.#halted, aborted(signal)]);
    this.#beforeSent = undefined;
    if (this.#replays) this.#replay(content, key);
    const at = realClock.elapsed();
    const { totals } = this.#view;
    const isSent = !signal.aborted && !this.#stopped;
    const end = isSent ? await sendTyped(this.#session, blocks, key) : NOT_SENT;
    this.#isAnswering = false;
    this.#printResult(end, { totals, at });
  }

  /** Notices start runs, too; a prompt that arrives meanwhile has its own result. */
  #tellWoken(end: RunEnd): void {
    if (!this.#isAnswering) this.#printResult(end, this.#lastPrinted);
  }

  #replay(content: unknown, uuid: string): void {
    const timestamp = new Date(realClock.now()).toISOString();
    const message = { role: 'user', content };
    const of = { parent_tool_use_id: null, session_id: this.#session.id, uuid, timestamp };
    this.#print({ type: 'user', message, ...of, isReplay: true });
  }

  /** Turns, usage and denials are those of the prompt; cost and usage by model are totals of the session. */
  #printResult(end: RunEnd, since: { readonly totals: Totals; readonly at: number }): void {
    this.lastEnd = end;
    const { totals } = this.#view;
    const result = resultObject({
      end,
      totals: subtractTotals(totals, since.totals),
      sessionTotals: totals,
      session: this.#session.id,
      uuid: newRandomId(),
      durationMs: realClock.elapsed() - since.at,
      models: this.#session.models,
    });
    this.#lastPrinted = { totals, at: realClock.elapsed() };
    this.#print(result);
  }
}

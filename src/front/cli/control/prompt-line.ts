/** Queues prompts: each gets its own run and its own `result`. */

import type { Settled } from '../../../engine/settled.js';
import { realClock } from '../../../host/clock.js';
import { newRandomId } from '../../../host/node-host.js';
import type { RunEnd } from '../../../loop/run-loop.js';
import type { UserBlock } from '../../../protocol/blocks.js';
import type { Session } from '../../sdk/session.js';
import { resultObject } from '../../view/result.js';
import type { SessionView } from '../../view/session-view.js';
import { subtractTotals, type Totals } from '../../view/session-view.js';

const NOTHING_OPEN = { stopped: [], unreported: [] };

type Waiting = { readonly blocks: readonly UserBlock[]; readonly uuid: string | undefined };

export class PromptLine {
  readonly #session: Session;
  readonly #print: (line: object) => void;
  readonly #view: SessionView;
  /** In order; what was dropped is no longer there. */
  readonly #waiting = new Set<Waiting>();
  #last: Promise<void> = Promise.resolve();
  #stopped = false;
  #halt = () => {};
  readonly #halted = new Promise<undefined>((resolve) => {
    this.#halt = () => resolve(undefined);
  });
  lastEnd: RunEnd | undefined;

  constructor(session: Session, view: SessionView, print: (line: object) => void) {
    this.#session = session;
    this.#view = view;
    this.#print = print;
  }

  /** `uuid`: the client's name for it, by which it can be taken back while it waits. */
  push(blocks: readonly UserBlock[], uuid?: string): void {
    const prompt: Waiting = { blocks, uuid };
    this.#waiting.add(prompt);
    this.#last = this.#last.then(() => this.#answer(prompt));
  }

  /** The names of those that have not begun, in order. */
  get waiting(): readonly string[] {
    return [...this.#waiting].flatMap(({ uuid }) => uuid ?? []);
  }

  /** Drops one that has not begun. False if it has, or there is none of that name. */
  cancel(uuid: string): boolean {
    const found = [...this.#waiting].find((prompt) => prompt.uuid === uuid);
    return found !== undefined && this.#waiting.delete(found);
  }

  /** Drops all that have not begun; returns the names of those that have one. */
  cancelAll(): readonly string[] {
    const names = this.waiting;
    this.#waiting.clear();
    return names;
  }

  /** Resolves when every queued prompt is answered. */
  done(): Promise<void> {
    return this.#last;
  }

  /** Waits up to `waitMs` for background tasks; prints a `result` each time their notices made the agent work. */
  async settle(waitMs: number): Promise<Pick<Settled, 'stopped' | 'unreported'>> {
    if (this.#stopped) return NOTHING_OPEN;
    const before = this.#view.totals;
    const started = realClock.elapsed();
    const settled = await Promise.race([this.#session.settled(waitMs), this.#halted]);
    if (settled?.end !== undefined) this.#printResult(settled.end, before, started);
    return settled ?? NOTHING_OPEN;
  }

  /** Prompts that have not begun are dropped. */
  stop(): void {
    this.#stopped = true;
    this.#halt();
    this.#session.interrupt();
  }

  async #answer(prompt: Waiting): Promise<void> {
    if (!this.#waiting.delete(prompt) || this.#stopped) return;
    const { blocks } = prompt;
    const started = realClock.elapsed();
    const before = this.#view.totals;
    const end = await this.#session.send(blocks);
    this.#printResult(end, before, started);
  }

  /** Turns, usage and denials are those of the prompt; cost and usage by model are totals of the session. */
  #printResult(end: RunEnd, before: Totals, started: number): void {
    this.lastEnd = end;
    const { totals } = this.#view;
    const result = resultObject({
      end,
      totals: subtractTotals(totals, before),
      sessionTotals: totals,
      session: this.#session.id,
      uuid: newRandomId(),
      durationMs: realClock.elapsed() - started,
      models: this.#session.models,
    });
    this.#print(result);
  }
}

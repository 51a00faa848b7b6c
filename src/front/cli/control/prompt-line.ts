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

export class PromptLine {
  readonly #session: Session;
  readonly #print: (line: object) => void;
  readonly #view: SessionView;
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

  push(blocks: readonly UserBlock[]): void {
    this.#last = this.#last.then(() => this.#answer(blocks));
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

  async #answer(blocks: readonly UserBlock[]): Promise<void> {
    if (this.#stopped) return;
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

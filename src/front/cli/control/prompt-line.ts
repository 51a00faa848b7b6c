/** Prompts wait in line: each is answered by a run and a `result` of its own. */

import type { Session } from '../../../engine/session.js';
import type { RunEnd } from '../../../loop/run-loop.js';
import type { UserBlock } from '../../../protocol/blocks.js';
import { resultObject } from '../../view/result.js';
import { Tally } from '../../view/tally.js';

export class PromptLine {
  readonly #session: Session;
  readonly #print: (line: object) => void;
  /** Over the whole session: money and usage by model add up. */
  readonly #tally = new Tally();
  #last: Promise<void> = Promise.resolve();
  #stopped = false;
  #halt = () => {};
  readonly #halted = new Promise<undefined>((resolve) => {
    this.#halt = () => resolve(undefined);
  });
  lastEnd: RunEnd | undefined;

  constructor(session: Session, print: (line: object) => void) {
    this.#session = session;
    this.#print = print;
    session.watch(this.#tally.watch);
  }

  push(blocks: readonly UserBlock[]): void {
    this.#last = this.#last.then(() => this.#answer(blocks));
  }

  /** Resolves when everything in line is answered. */
  done(): Promise<void> {
    return this.#last;
  }

  /** Notices of background tasks are answered too, for so long; each time the agent has worked, with a `result`. */
  async settle(waitMs: number): Promise<readonly string[]> {
    if (this.#stopped) return [];
    const own = new Tally();
    const unwatch = this.#session.watch(own.watch);
    const started = performance.now();
    const settled = await Promise.race([this.#session.settled(waitMs), this.#halted]);
    unwatch();
    if (settled?.end !== undefined) this.#tell(settled.end, own, started);
    return settled?.stopped ?? [];
  }

  /** What has not begun yet never will. */
  stop(): void {
    this.#stopped = true;
    this.#halt();
    this.#session.interrupt();
  }

  async #answer(blocks: readonly UserBlock[]): Promise<void> {
    if (this.#stopped) return;
    const started = performance.now();
    const own = new Tally();
    const unwatch = this.#session.watch(own.watch);
    const end = await this.#session.send(blocks);
    unwatch();
    this.#tell(end, own, started);
  }

  #tell(end: RunEnd, own: Tally, started: number): void {
    this.lastEnd = end;
    const common = {
      end,
      session: this.#session.id,
      uuid: crypto.randomUUID(),
      durationMs: performance.now() - started,
      models: this.#session.models,
    };
    const { total_cost_usd, modelUsage } = resultObject({ ...common, tally: this.#tally });
    this.#print({ ...resultObject({ ...common, tally: own }), total_cost_usd, modelUsage });
  }
}

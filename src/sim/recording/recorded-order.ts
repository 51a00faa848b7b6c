/**
 * Enforces the recorded order: events happen in the order in which they were recorded. It never blocks forever: when
 * nothing happens any more, the earliest waiter continues.
 */

import { type RecordedExchange, type RecordedInput, RUN_ENDED } from './recording.js';

/** The activity besides requests: none, agents between two requests, or calls and questions. */
export type Activity = 'idle' | 'agents' | 'calls';

export type RecordedOrderOptions = {
  readonly exchanges: readonly RecordedExchange[];
  readonly inputs: readonly RecordedInput[];
  /** Keeps the process alive while waiting. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly activity: () => Activity;
};

const TICK_MS = 50;
/** After this many ticks without an event, the earliest waiter continues. A call may take any time. */
const PATIENCE: Readonly<Record<Activity, number>> = { idle: 20, agents: 200, calls: 18_000 };

type Waiter = { readonly at: number; readonly isReady: () => boolean; readonly go: () => void };

export class RecordedOrder {
  readonly #options: RecordedOrderOptions;
  /** Recorded events that have not happened yet, in order. */
  #ahead: number[];
  readonly #waiters = new Set<Waiter>();
  readonly #inputs: RecordedInput[];
  #quiet = 0;
  #isWatching = false;
  #isOver = false;

  constructor(options: RecordedOrderOptions) {
    this.#options = options;
    const { exchanges, inputs } = options;
    // The end of a run is not an event that others wait for: an input just before it may keep the run going now.
    const came = inputs.filter(({ input }) => input !== RUN_ENDED).map(({ at }) => at);
    const numbers = [...exchanges.flatMap(({ started, ended }) => [started, ended]), ...came];
    this.#ahead = numbers.filter((number) => number !== undefined).sort((a, b) => a - b);
    this.#inputs = inputs.toSorted((a, b) => a.at - b.at);
  }

  /** The event has happened, or never will. */
  happened(number: number | undefined): void {
    this.#quiet = 0;
    const at = number === undefined ? -1 : this.#ahead.indexOf(number);
    if (at !== -1) this.#ahead.splice(at, 1);
    this.#wake();
  }

  inputCame(input: string, to: string): void {
    const at = this.#inputs.findIndex((one) => one.input === input && one.to === to);
    const [found] = at === -1 ? [] : this.#inputs.splice(at, 1);
    this.happened(found?.at);
  }

  /** Resolves when everything that was recorded before has happened. */
  before(number: number | undefined, signal?: AbortSignal): Promise<void> {
    if (number === undefined) return Promise.resolve();
    return this.#wait(number, () => (this.#ahead[0] ?? number) >= number, signal);
  }

  async beforeInput(input: string, to: string): Promise<void> {
    const found = this.#inputs.find((one) => one.input === input && one.to === to);
    if (found === undefined) return;
    const { at, after } = found;
    const isSent = () => after === undefined || !this.#ahead.includes(after);
    const isRunning = () => this.#inputs.some((one) => one.input === RUN_ENDED && one.to === to && one.at < at);
    await this.#wait(at, () => (this.#ahead[0] ?? at) >= at && isSent() && !isRunning());
  }

  /** Resolves when all inputs of the agent that were recorded before have arrived. */
  afterInputs(to: string, number: number, signal?: AbortSignal): Promise<void> {
    const isBefore = (one: RecordedInput) => one.to === to && one.at < number && (one.after ?? 0) < number;
    return this.#wait(number, () => !this.#inputs.some((one) => isBefore(one) && one.input !== RUN_ENDED), signal);
  }

  /** For an agent that made no further request in this run: it was stopped, and will be stopped again. */
  async untilStopped(agent: string, signal?: AbortSignal): Promise<void> {
    const end = this.#inputs.find((one) => one.input === RUN_ENDED && one.to === agent);
    if (end !== undefined) await this.#wait(end.at, () => !this.#inputs.includes(end), signal);
  }

  runEnded(of: string): void {
    this.inputCame(RUN_ENDED, of);
  }

  /**
   * `next`: the agent's next request. If it belongs to this run, the run has not ended yet, and later inputs are not
   * waited for.
   */
  async beforeRunEnd(of: string, next: number | undefined, signal?: AbortSignal): Promise<void> {
    const end = this.#inputs.find((one) => one.input === RUN_ENDED && one.to === of);
    if (end !== undefined) await this.afterInputs(of, Math.min(end.at, next ?? end.at), signal);
  }

  /** From now on, nothing waits. */
  end(): void {
    this.#isOver = true;
    for (const waiter of [...this.#waiters]) waiter.go();
  }

  #wait(at: number, isReady: () => boolean, signal?: AbortSignal): Promise<void> {
    if (this.#isOver || isReady() || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const go = () => {
        this.#waiters.delete(waiter);
        signal?.removeEventListener('abort', go);
        resolve();
      };
      const waiter = { at, isReady, go };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', go, { once: true });
      void this.#watch();
    });
  }

  #wake(): void {
    for (const waiter of [...this.#waiters]) if (waiter.isReady()) waiter.go();
  }

  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#quiet = 0;
    while (this.#waiters.size > 0) {
      await this.#options.sleep(TICK_MS);
      this.#quiet += 1;
      if (this.#quiet < PATIENCE[this.#options.activity()]) continue;
      const [first] = [...this.#waiters].sort((a, b) => a.at - b.at);
      if (first !== undefined) this.#giveUp(first);
    }
    this.#isWatching = false;
  }

  /** Stops everyone from waiting for events before it. */
  #giveUp(waiter: Waiter): void {
    this.#quiet = 0;
    this.#ahead = this.#ahead.filter((number) => number >= waiter.at);
    for (const input of this.#inputs.filter(({ at }) => at < waiter.at))
      this.#inputs.splice(this.#inputs.indexOf(input), 1);
    waiter.go();
    this.#wake();
  }
}

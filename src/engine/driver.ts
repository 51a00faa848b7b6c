/** Drives the main agent: one piece of work at a time, until nothing waits for it. Prompts and notices wake it. */

import type { LiveAgent } from '../agents/live-agent.js';
import { closeChildCalls } from '../agents/resume/restore-calls.js';
import type { Runtime } from '../agents/runtime.js';
import { newAbort } from '../host/clock.js';
import { applySwitches } from '../loop/epoch.js';
import type { RunEnd } from '../loop/run-loop.js';
import { MAIN_AGENT } from '../protocol/events.js';
import { reasonOf } from '../protocol/reason-of.js';
import { NO_USAGE } from '../protocol/usage.js';
import { TranscriptError } from '../session/transcript/append-port.js';

export class Driver {
  readonly #ready: () => Promise<LiveAgent>;
  readonly #runtime: Runtime;
  #working: Promise<RunEnd> | undefined;
  #abort = newAbort();
  #paused = false;
  /** Messages that start a new run after an interrupt, by their keys. */
  readonly urgent = new Set<string>();
  /** Messages held until the current work has ended on its own, by their keys. */
  readonly heldToEnd = new Set<string>();
  /** What starts with the turn that reads a held message, by its key. */
  readonly heldTurns = new Map<string, () => Promise<void>>();
  #exclusive: Promise<unknown> | undefined;
  /** How the last work ended. */
  lastEnd: RunEnd | undefined;
  /** Notified of the end of work that a notice started: nobody else waits for it. */
  readonly watchers = new Set<(end: RunEnd) => void>();

  /** `ready` returns the main agent, started or resumed if necessary. */
  constructor(ready: () => Promise<LiveAgent>, runtime: Runtime) {
    this.#ready = ready;
    this.#runtime = runtime;
  }

  /** The current work. */
  get working(): Promise<RunEnd> | undefined {
    return this.#working;
  }

  /** Aborts with the current work. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** An interrupt ends the current work. Work that starts afterwards gets a new signal. */
  begin(): AbortSignal {
    if (this.#working === undefined && this.signal.aborted) this.#abort = newAbort();
    return this.signal;
  }

  interrupt(): void {
    this.#abort.abort();
  }

  /** Something waits for the main agent. */
  wake(): void {
    if (this.#paused) return;
    this.begin();
    const isNew = this.#working === undefined;
    const work = this.drive();
    if (isNew) void work.then((end) => this.#tellEnd(end));
  }

  #tellEnd(end: RunEnd): void {
    for (const watch of this.watchers) {
      try {
        watch(end);
      } catch (error) {
        this.#showError(`a listener failed at the end of a run: ${reasonOf(error)}`);
      }
    }
    if (end.reason === 'not_saved' && end.line !== undefined) this.#showError(end.line);
  }

  #showError(line: string): void {
    const event = { kind: 'line-shown', level: 'error', line } as const;
    this.#runtime.listeners.notify({ agent: MAIN_AGENT, seq: undefined, event });
  }

  /** Meanwhile new input waits for the next prompt: no turn starts for it. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#paused = true;
    try {
      return await work();
    } finally {
      this.#paused = false;
    }
  }

  /** Runs work that must not overlap with a turn; turns that start meanwhile wait for it. */
  async exclusive<T>(work: () => Promise<T>): Promise<T> {
    // Check again after each wait: of several waiting, one goes first.
    while (this.#exclusive !== undefined) await this.#exclusive.catch(() => {});
    const under = work();
    this.#exclusive = under;
    try {
      return await under;
    } finally {
      this.#exclusive = undefined;
    }
  }

  /** Lets the main agent work until nothing waits for it. Never rejects. */
  drive(): Promise<RunEnd> {
    if (this.#working !== undefined) return this.#working;
    this.#working = this.guard(() =>
      this.#work().catch((error) => {
        this.#runtime.turns.end(MAIN_AGENT);
        this.#working = undefined;
        throw error;
      }),
    ).then((end) => {
      // Nobody else reports the failure of work that a notice started.
      this.lastEnd = end;
      return end;
    });
    return this.#working;
  }

  async #work(): Promise<RunEnd> {
    let { signal } = this;
    while (this.#exclusive !== undefined) await this.#exclusive.catch(() => {});
    const main = await this.#ready();
    await closeChildCalls(this.#runtime, main);
    for (;;) {
      await main.changeStatus('running');
      const end = await this.#runtime.runner
        .run(this.#runtime, main, signal)
        .finally(() => void main.changeStatus('waiting'));
      await applySwitches(main);
      if (main.inbox.asks && end.reason === 'completed') continue;
      this.#runtime.turns.end(MAIN_AGENT);
      // A skill's model ends with its turn, before anything else uses it.
      if (main.switches.length > 0) await applySwitches(main);
      if (main.inbox.asks && end.reason === 'completed') continue;
      if (main.inbox.holds(this.heldToEnd) && end.reason === 'completed') {
        await this.release(main, this.heldToEnd);
        continue;
      }
      // After an interrupt, held messages wait for you.
      this.heldToEnd.clear();
      if (end.reason === 'interrupted' && this.#isUrgent(main)) {
        this.#abort = newAbort();
        this.urgent.clear();
        signal = this.signal;
        continue;
      }
      // Synchronous with the checks above: later input starts new work.
      this.#working = undefined;
      this.urgent.clear();
      this.lastEnd = end;
      return end;
    }
  }

  /** Releases held messages to be read. Returns how many of them are yours. */
  async release(main: LiveAgent, keys?: ReadonlySet<string>): Promise<number> {
    const released = await main.inbox.release(keys);
    for (const [key, begin] of [...this.heldTurns]) {
      if (keys?.has(key) === false) continue;
      this.heldTurns.delete(key);
      if (!main.inbox.wasTakenBack(key)) await begin();
    }
    return released;
  }

  /** You interrupted so that these are read now. A closing session starts nothing. */
  #isUrgent({ state }: LiveAgent): boolean {
    if (this.#runtime.isClosing || this.#paused) return false;
    return state.pending.some(({ key, held }) => key !== undefined && held !== true && this.urgent.has(key));
  }

  /** Turns errors into results. After a failed write nothing may continue; the next prompt tries again. */
  async guard(work: () => Promise<RunEnd>): Promise<RunEnd> {
    try {
      return await work();
    } catch (error) {
      const nothing = { text: '', turns: 0, usage: NO_USAGE };
      if (!(error instanceof TranscriptError)) {
        return { ...nothing, reason: 'api_error', line: `internal error: ${reasonOf(error)}` };
      }
      const line = `${error.message}. Nothing before it is lost; ${error.advice}`;
      return { ...nothing, reason: 'not_saved', line };
    }
  }
}

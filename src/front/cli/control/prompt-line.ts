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

/** What a client said. Its id becomes the prompt's key: under one it is admitted once, and known to later requests. */
export type PromptToAnswer = {
  readonly blocks: readonly UserBlock[];
  readonly content: unknown;
  readonly uuid?: string;
};

export type PromptLineOptions = {
  readonly print: (line: object) => void;
  /** Each is printed again when it is taken up. */
  readonly replays?: boolean;
};

export class PromptLine {
  readonly #session: Session;
  readonly #print: (line: object) => void;
  readonly #replays: boolean;
  readonly #view: SessionView;
  #last: Promise<void> = Promise.resolve();
  #stopped = false;
  #halt = () => {};
  readonly #halted = new Promise<undefined>((resolve) => {
    this.#halt = () => resolve(undefined);
  });
  lastEnd: RunEnd | undefined;

  constructor(session: Session, view: SessionView, { print, replays = false }: PromptLineOptions) {
    this.#session = session;
    this.#view = view;
    this.#print = print;
    this.#replays = replays;
  }

  push(prompt: PromptToAnswer): void {
    this.#last = this.#last.then(() => this.#answer(prompt));
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

  async #answer({ blocks, content, uuid: key = newRandomId() }: PromptToAnswer): Promise<void> {
    if (this.#stopped) return;
    if (this.#replays) this.#replay(content, key);
    const started = realClock.elapsed();
    const before = this.#view.totals;
    const end = await this.#session.execute({ type: 'prompt', content: blocks, key });
    this.#printResult(end, before, started);
  }

  #replay(content: unknown, uuid: string): void {
    const timestamp = new Date(realClock.now()).toISOString();
    const message = { role: 'user', content };
    const of = { parent_tool_use_id: null, session_id: this.#session.id, uuid, timestamp };
    this.#print({ type: 'user', message, ...of, isReplay: true });
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

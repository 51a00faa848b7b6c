/**
 * Runs the user's status line command when something happens, and holds its last output for the clients that show the
 * session (EX-22).
 */

import type { TerminalSize } from '../../engine/build/status-line-command.js';
import { stripControls } from '../../gate/permissions/strip-controls.js';
import { type Cancel, type Clock, realClock } from '../../host/clock.js';
import type { SessionEvent } from '../../protocol/events.js';
import type { Session } from '../sdk/session.js';
import { statusLineInput } from './status-line-input.js';
import { StatusTally } from './status-tally.js';

export type StatusLineRunnerOptions = {
  readonly session: Session;
  readonly size: () => TerminalSize;
  readonly colours: boolean;
  /** Called when its output changes. `cause`: an event, or time. */
  readonly onChange: (lines: readonly string[], cause: Cause) => void;
  readonly clock?: Clock;
};

type Cause = 'event' | 'time';

/** Between the starts of two runs. */
const LEAST_MS = 300;

export class StatusLineRunner {
  readonly #options: StatusLineRunnerOptions;
  readonly #clock: Clock;
  readonly #tally = new StatusTally();
  readonly #startedAt: number;
  readonly #abort = new AbortController();
  #unwatch: () => void = () => {};
  #cancelTimer: Cancel = () => {};
  #cancelInterval: Cancel = () => {};
  #lines: readonly string[] = [];
  #lastRun = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  /** Why it runs again. */
  #wanted: Cause | undefined;

  constructor(options: StatusLineRunnerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#startedAt = this.#clock.elapsed();
  }

  /** Its last output; empty if none. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Does nothing without a status line command. */
  start(): void {
    const { session } = this.#options;
    if (session.statusLine === undefined) return;
    this.#unwatch = session.watch((sessionEvent) => {
      this.#tally.apply(sessionEvent, this.#clock.elapsed());
      if (matters(sessionEvent)) this.refresh();
    });
    this.refresh();
    this.#everyInterval(session.statusLine.refreshMs);
  }

  /** Schedules a run: at once, 300 ms after the last one, or when the current one has ended. */
  refresh(cause: Cause = 'event'): void {
    if (this.#abort.signal.aborted || this.#options.session.statusLine === undefined) return;
    this.#wanted = this.#wanted === 'event' ? 'event' : cause;
    if (this.#running !== undefined) return;
    this.#cancelTimer();
    const wait = this.#lastRun + LEAST_MS - this.#clock.elapsed();
    if (wait <= 0) this.#begin();
    else this.#cancelTimer = this.#clock.after(wait, () => this.#begin());
  }

  /** Stops it; no process or timer remains. */
  async close(): Promise<void> {
    this.#abort.abort();
    this.#unwatch();
    this.#cancelTimer();
    this.#cancelInterval();
    await this.#running;
  }

  #everyInterval(ms: number | undefined): void {
    if (ms === undefined || this.#abort.signal.aborted) return;
    this.#cancelInterval = this.#clock.after(ms, () => {
      this.refresh('time');
      this.#everyInterval(ms);
    });
  }

  #begin(): void {
    const cause = this.#wanted ?? 'event';
    this.#wanted = undefined;
    this.#lastRun = this.#clock.elapsed();
    this.#running = this.#run(cause).finally(() => {
      this.#running = undefined;
      if (this.#wanted !== undefined) this.refresh(this.#wanted);
    });
  }

  /** A failed run keeps the line; a run without output clears it. */
  async #run(cause: Cause): Promise<void> {
    const { session, size, colours, onChange } = this.#options;
    const { statusLine } = session;
    if (statusLine === undefined) return;
    await this.#tally.counted();
    const { current, apiMs, linesAdded, linesRemoved, view } = this.#tally;
    const input = statusLineInput({
      ...statusLine.facts(),
      session,
      totals: view.totals,
      current,
      durationMs: this.#clock.elapsed() - this.#startedAt,
      apiMs,
      linesAdded,
      linesRemoved,
    });
    const ended = await statusLine.run(`${JSON.stringify(input)}\n`, size(), this.#abort.signal);
    if (ended.kind === 'failed' || this.#abort.signal.aborted) return;
    const lines = cleanOutput(ended.text, { colours, padding: statusLine.padding });
    if (lines.join('\n') === this.#lines.join('\n')) return;
    this.#lines = lines;
    onChange(lines, cause);
  }
}

/** True for events that may change a status line. */
function matters({ event }: SessionEvent): boolean {
  switch (event.kind) {
    case 'assistant-replied':
    case 'run-ended':
    case 'mode-changed':
    case 'epoch-started':
    case 'history-compacted':
    case 'history-cleared':
      return true;
    case 'call-finished':
      // The user's own shell line.
      return event.aside === true;
    case 'agent-state-changed':
      return event.state !== 'running' && event.state !== 'waiting';
    default:
      return false;
  }
}

const MAX_LINES = 10;

const MAX_CHARS = 1_000;

const MAX_PADDING = 40;

export type CleanOptions = { readonly colours: boolean; readonly padding: number };

/** Drops empty lines at the end. */
export function cleanOutput(text: string, { colours, padding }: CleanOptions): readonly string[] {
  const lines = text.replace(/\r\n?/g, '\n').trimEnd().split('\n').slice(0, MAX_LINES);
  const clean = lines.map((line) => (colours ? keepColours(line) : stripControls(line.slice(0, MAX_CHARS))));
  if (clean.every((line) => line.trim() === '')) return [];
  const margin = ' '.repeat(Math.min(MAX_PADDING, Math.floor(padding)));
  return clean.map((line) => `${margin}${line}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that sets colours.
const COLOUR = /(\u001b\[[0-9;:]*m)/;

/** Resets colours at the end of each line. */
function keepColours(line: string): string {
  const parts = line.slice(0, MAX_CHARS).split(COLOUR);
  const clean = parts.map((part, index) => (index % 2 === 1 ? part : stripControls(part))).join('');
  return parts.length > 1 ? `${clean}\u001b[0m` : clean;
}

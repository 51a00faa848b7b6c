/**
 * The terminal's modes and the process's signals: raw input while we own it, everything restored when we leave, stop or
 * die. Knows nothing of the screen content.
 */

import { StringDecoder } from 'node:string_decoder';
import { type Clock, realClock } from '../../../host/clock.js';
import * as controls from './controls.js';
import type { Size } from './frame.js';
import { TerminalWriter } from './terminal-writer.js';

/** Why the terminal can no longer be used. `lost`: it is gone. */
export type Ending = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'lost';

export type TerminalOptions = {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onInput: (data: string) => void;
  readonly onResize: () => void;
  readonly onDrained: () => void;
  /** Called when the process continues after it was stopped (Ctrl+Z and `fg`): the screen content is unknown. */
  readonly onContinued: () => void;
  /** Called when the process is about to end unexpectedly: restores the terminal at once. */
  readonly onExit: () => void;
  readonly onEnding?: ((ending: Ending) => void) | undefined;
  readonly clock?: Clock;
};

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** If the process still runs after this, nobody could have continued it, and the signal had no effect. */
const STOPPED_WITHIN_MS = 100;

export class Terminal {
  readonly #options: TerminalOptions;
  readonly #clock: Clock;
  readonly #outlet: TerminalWriter;
  readonly #asks: boolean;
  #decoder = new StringDecoder('utf8');
  /** The beginning of a terminal reply. */
  #held = '';
  #hasKitty = false;
  #isEntered = false;
  #hasSignal = false;

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    // These don't answer, and may print unknown queries.
    this.#asks = !/^(dumb|linux|unknown)?$/.test(options.env.TERM ?? '');
    this.#outlet = new TerminalWriter({
      output: options.output,
      clock: this.#clock,
      onDrained: options.onDrained,
      onLost: () => options.onEnding?.('lost'),
    });
  }

  get size(): Size {
    const { output } = this.#options;
    // The current size: the event may still be pending.
    (output as { _refreshSize?: () => void })._refreshSize?.();
    return { columns: output.columns || 80, rows: output.rows || 24 };
  }

  get waiting(): number {
    return this.#outlet.waiting;
  }

  /** True if keys use the kitty protocol; the alternate screen then needs its own flags. */
  get hasKitty(): boolean {
    return this.#hasKitty;
  }

  start(): void {
    const { input, output } = this.#options;
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
    process.on('SIGCONT', this.#onContinue);
    process.on('exit', this.#options.onExit);
    // Node then prints the error and exits.
    process.on('uncaughtExceptionMonitor', this.#options.onExit);
    input.on('error', ignore);
    output.on('error', ignore);
    output.on('resize', this.#options.onResize);
    this.enter();
    if (this.#asks) this.write(controls.ASK_KITTY + controls.ASK_BACKGROUND);
  }

  /** `bytes` clean up the screen. */
  stop(bytes: string): void {
    const { output } = this.#options;
    this.leave(bytes);
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
    process.off('SIGCONT', this.#onContinue);
    process.off('exit', this.#options.onExit);
    process.off('uncaughtExceptionMonitor', this.#options.onExit);
    output.off('resize', this.#options.onResize);
  }

  enter(): void {
    if (this.#isEntered) return;
    this.#isEntered = true;
    const { input } = this.#options;
    this.#setRaw(true);
    this.#outlet.setBlocking(false);
    this.#decoder = new StringDecoder('utf8');
    input.on('data', this.#onData);
    input.resume();
    this.write(controls.BEGIN_INPUT + (this.#hasKitty ? controls.PUSH_KITTY : ''));
  }

  leave(bytes: string): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    const { input } = this.#options;
    this.write(bytes + (this.#hasKitty ? controls.POP_KITTY : '') + controls.RESTORE);
    this.#outlet.flush();
    this.#outlet.setBlocking(true);
    input.off('data', this.#onData);
    input.pause();
    this.#setRaw(false);
  }

  /** After `leave`. Stops the whole process group, as the terminal would: the program that started us stops, too. */
  suspend(): void {
    process.kill(0, 'SIGTSTP');
    // Without input nothing else may keep the process alive: this does, until it owns the terminal again.
    void this.#clock.sleep(STOPPED_WITHIN_MS).then(this.#options.onContinued);
  }

  write(text: string): void {
    this.#outlet.write(text);
  }

  readonly #onData = (data: Buffer | string): void => {
    const text = this.#held + (typeof data === 'string' ? data : this.#decoder.write(data));
    const [rest, held] = splitAnswer(text);
    this.#held = held;
    const keys = rest.replace(KITTY_ANSWER, () => {
      this.#beginKitty();
      return '';
    });
    if (keys !== '') this.#options.onInput(keys);
  };

  #beginKitty(): void {
    if (this.#hasKitty) return;
    this.#hasKitty = true;
    this.write(controls.PUSH_KITTY);
  }

  readonly #onContinue = (): void => {
    // The shell had the terminal meanwhile, and may have left it in any mode.
    if (this.#isEntered) {
      this.#setRaw(false);
      this.#setRaw(true);
      this.write(controls.BEGIN_INPUT);
    }
    this.#options.onContinued();
  };

  /** The first signal may end a session in order; the second, or one without a handler, ends the process. */
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    const { onEnding, onExit } = this.#options;
    if (onEnding !== undefined && !this.#hasSignal) {
      this.#hasSignal = true;
      onEnding(signal as Ending);
      return;
    }
    onExit();
    process.off(signal, this.#onSignal);
    process.kill(process.pid, signal);
  };

  #setRaw(isRaw: boolean): void {
    try {
      this.#options.input.setRawMode?.(isRaw);
    } catch {
      // The terminal is gone (EIO).
    }
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: answers begin with one.
const KITTY_ANSWER = /\u001b\[\?\d+u/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
const BEGUN_ANSWER = /\u001b\[\?\d*$/;

/** No key begins like a reply, so waiting for its end delays none. */
function splitAnswer(text: string): [rest: string, held: string] {
  const begun = BEGUN_ANSWER.exec(text);
  return begun === null ? [text, ''] : [text.slice(0, begun.index), begun[0]];
}

function ignore(): void {}

/**
 * Reads the user's input line by line: with editing, history and paste at a terminal, plain lines from a pipe. A question
 * takes the keys from the line being typed, which is stashed and restored.
 */

import type { Key } from 'node:readline';
import { type Clock, realClock } from '../../../host/clock.js';
import { beginsLine, EditedLine, type InputStreams, isContinued, type Typed } from './edited-line.js';
import type { Screen } from './screen.js';

export type ReadOptions = {
  readonly prompt: string;
  /** A question: reads one line, never a pasted one, and keeps it out of the history. */
  readonly question?: boolean;
  readonly signal?: AbortSignal;
};

/** An unsent line, with the earlier lines that it continues. */
type Draft = Typed & { readonly parts: readonly string[] };

type Reader = ReadOptions & {
  readonly resolve: (line: string | undefined) => void;
  /** The text typed for it, while another question has the keys. */
  draft: Draft;
};

const NO_DRAFT: Draft = { text: '', cursor: 0, parts: [] };
const MORE_PROMPT = '… ';
/** A question takes the keys after a pause of this length, and shows its prompt after another, so that typing can't answer it. */
const PAUSE_MS = 500;

export class LineInput {
  /** True at a terminal: lines that nobody reads go to `onWords`. From a pipe, lines are queued. */
  readonly interactive: boolean;
  /** Until it is set, such lines are queued for the first prompt; no question takes them. */
  onLine: ((line: string) => void) | undefined;
  onInterrupt: () => void = () => {};
  /** Ctrl+B. Returns false if the key should move the cursor. */
  onBackground: (isLineEmpty: boolean) => boolean = () => false;
  /** Ctrl+D on an empty line. Returns false if the input should end. */
  onLeave: () => boolean = () => false;
  readonly #screen: Screen;
  readonly #clock: Clock;
  readonly #line: EditedLine;
  readonly #readers: Reader[] = [];
  readonly #waiting: string[] = [];
  readonly #early: string[] = [];
  /** The question that has the keys; undefined: the user's own line. */
  #holder: Reader | undefined;
  /** The user's own line, while a question has the keys. */
  #own: Draft = NO_DRAFT;
  #parts: readonly string[] = [];
  #ended = false;
  #pasting = false;
  #lastKey = Number.NEGATIVE_INFINITY;
  /** When a question that has taken the keys from a line may show its prompt. */
  #readyAt = Number.NEGATIVE_INFINITY;

  constructor(streams: InputStreams, screen: Screen, clock: Clock = realClock) {
    this.interactive = streams.input.isTTY === true;
    this.#screen = screen;
    this.#clock = clock;
    this.#line = new EditedLine(streams, screen, clock, {
      onLine: (line) => this.#takeLine(line),
      onEnd: () => this.#end(),
      onInterrupt: () => this.#interrupt(),
      beforeKey: (key) => this.#beforeKey(key),
      afterKey: () => this.#afterKey(),
      onContinued: () => this.#showAgain(),
      isPrivate: () => this.#holder !== undefined,
    });
    if (!this.#line.isTerminal) return;
    screen.aroundWrite = {
      before: () => this.#line.hide(),
      after: () => {
        // A question that was just answered is still the holder for a moment.
        const isReading = this.#reader !== undefined && this.#readers.includes(this.#reader);
        if (screen.atLineStart && isReading && this.#isReady) this.#showPrompt();
      },
    };
  }

  get ended(): boolean {
    return this.#ended && this.#waiting.length === 0;
  }

  /** The next line with its continuations; undefined at the end of input or when the signal aborts. */
  async read(options: ReadOptions): Promise<string | undefined> {
    if (options.signal?.aborted || this.ended) return undefined;
    return new Promise((resolve) => {
      const settle = (line: string | undefined) => {
        options.signal?.removeEventListener('abort', onAbort);
        this.#readers.splice(this.#readers.indexOf(reader), 1);
        if (this.#line.text === '') this.#line.hide();
        resolve(line);
        // Deferred: the next line of the same question must not restore the user's own line in between.
        if (this.#line.isTerminal) this.#clock.after(0, () => this.#passKeys());
        else this.#passKeys();
      };
      const onAbort = () => {
        // A half-typed answer must not become the next prompt.
        if (this.#holder === reader) this.#clearTyped();
        settle(undefined);
        this.#freed();
      };
      const reader: Reader = { ...options, resolve: settle, draft: NO_DRAFT };
      options.signal?.addEventListener('abort', onAbort, { once: true });
      if (this.#line.text === '') this.#line.hide();
      this.#readers.push(reader);
      this.#passKeys();
    });
  }

  close(): void {
    this.#line.close();
  }

  /** Restores the terminal. Safe to call twice, and while the process exits. */
  restore(): void {
    this.#line.restore();
  }

  /** The reader of the next line. */
  get #reader(): Reader | undefined {
    return this.#holder ?? this.#readers.findLast((reader) => !reader.question);
  }

  get #isReady(): boolean {
    return this.#holder === undefined || this.#clock.elapsed() >= this.#readyAt;
  }

  get #hasTyped(): boolean {
    return this.#line.text !== '' || this.#parts.length > 0 || this.#pasting;
  }

  /** Gives the keys to the newest question once the user pauses; without one, to the user's own line. */
  #passKeys(): void {
    const next = this.#readers.findLast((reader) => reader.question);
    if (next !== this.#holder) {
      const pause = this.#line.isTerminal && this.#hasTyped ? this.#lastKey + PAUSE_MS - this.#clock.elapsed() : 0;
      if (pause > 0 || this.#pasting) {
        this.#clock.after(Math.max(pause, 1), () => this.#passKeys());
        return;
      }
      this.#giveKeys(next);
    }
    this.#serve();
  }

  #giveKeys(to: Reader | undefined): void {
    const draft: Draft = { ...this.#line.take(), parts: this.#parts };
    this.#line.hide();
    const interrupts = this.#holder === undefined && !isEmpty(draft);
    if (this.#holder === undefined) this.#own = draft;
    else this.#holder.draft = draft;
    this.#holder = to;
    const { draft: next } = to ?? { draft: this.#own };
    this.#line.put(next);
    this.#parts = next.parts;
    if (this.#hasTyped) {
      this.#screen.hold();
      return;
    }
    if (interrupts) this.#readyAt = this.#clock.elapsed() + PAUSE_MS;
    this.#screen.release();
    if (!interrupts) return;
    this.#screen.line('(your line is kept until you have answered this)');
    this.#clock.after(PAUSE_MS, () => this.#showAgain());
  }

  /** Gives a queued line to the reader, or shows the prompt. */
  #serve(): void {
    const reader = this.#reader;
    if (reader === undefined && !this.#hasTyped) return;
    const early = reader?.question ? [] : this.#early;
    const line = this.#hasTyped ? undefined : (this.#waiting.shift() ?? early.shift());
    if (line !== undefined) this.#deliver(line);
    else if (this.#ended) reader?.resolve(undefined);
    else this.#showAgain();
  }

  #takeLine(line: string): void {
    if (this.#pasting) {
      this.#parts = [...this.#parts, line];
      this.#showPrompt();
      return;
    }
    if (this.#holder === undefined && isContinued(line)) {
      this.#parts = [...this.#parts, line.slice(0, -1)];
      this.#showPrompt();
      return;
    }
    const whole = [...this.#parts, line].join('\n');
    const pasted = this.#parts.length > 0;
    this.#parts = [];
    if (!this.interactive) {
      this.#waiting.push(whole);
      this.#serve();
    } else if (this.#holder !== undefined && pasted) {
      this.#screen.line('(pasted text is not accepted as an answer)');
    } else {
      this.#deliver(whole);
    }
    this.#freed();
  }

  #deliver(line: string): void {
    const reader = this.#reader;
    if (reader !== undefined) reader.resolve(line);
    else if (this.onLine !== undefined) this.onLine(line);
    else this.#early.push(line);
  }

  #interrupt(): void {
    const typed = this.#clearTyped();
    this.#line.hide();
    this.#freed();
    // At the prompt, as in a shell: the first press only clears the line.
    if (!typed || this.#reader === undefined || this.#holder !== undefined) this.onInterrupt();
    this.#serve();
  }

  /** Clears unsent text; returns true if there was any. */
  #clearTyped(): boolean {
    const typed = this.#line.text !== '' || this.#parts.length > 0;
    this.#parts = [];
    this.#line.take();
    return typed;
  }

  #end(): void {
    this.#ended = true;
    this.#line.endRow();
    this.restore();
    this.#freed();
    for (const reader of [...this.#readers].reverse()) {
      if (this.#waiting.length === 0) reader.resolve(undefined);
    }
  }

  /** A new line starts on its own row, and other output is held. */
  #beforeKey(key: Key): boolean {
    if (this.#ended) return false;
    this.#lastKey = this.#clock.elapsed();
    if (key.name === 'paste-start') this.#pasting = true;
    if (key.name === 'paste-end') this.#pasting = false;
    if (key.ctrl && key.name === 'b' && this.onBackground(!this.#hasTyped)) return true;
    if (key.ctrl && key.name === 'd' && !this.#hasTyped && this.onLeave()) return true;
    if (this.#holder !== undefined && !this.#readers.includes(this.#holder)) this.#passKeys();
    // The user has not paused: the key is for their own line.
    if (!this.#isReady) {
      this.#giveKeys(undefined);
      this.#passKeys();
      this.#showPrompt();
    }
    if (this.#line.text !== '' || !beginsLine(key)) return false;
    if (!this.#line.promptShown) this.#beginLine();
    this.#screen.hold();
    return false;
  }

  #afterKey(): void {
    if (!this.#hasTyped) this.#freed();
  }

  #beginLine(): void {
    if (!this.#screen.atLineStart) this.#screen.writeRaw('\n');
    this.#screen.lineBroken();
    this.#showPrompt();
  }

  /** The user's line is empty or sent: held output continues, and a waiting question gets the keys. */
  #freed(): void {
    if (this.#line.text !== '' && !this.#ended) return;
    if (this.#reader === undefined) this.#line.hide();
    this.#screen.release();
    if (this.#holder === undefined && this.#readers.some((reader) => reader.question)) this.#passKeys();
  }

  /** Shows the prompt on its own row, if there is a reader or typed text. */
  #showAgain(): void {
    if (this.#reader === undefined && !this.#hasTyped) return;
    if (!this.#isReady || this.#ended) return;
    if (this.#screen.atLineStart || !this.#line.isTerminal || this.#hasTyped) this.#showPrompt();
    else this.#screen.endLine();
  }

  #showPrompt(): void {
    if (this.#ended) return;
    this.#line.show(this.#parts.length > 0 ? MORE_PROMPT : (this.#reader?.prompt ?? '> '));
  }
}

function isEmpty({ text, parts }: Draft): boolean {
  return text === '' && parts.length === 0;
}

/** Reads the person's input line by line: with editing, history and paste at a terminal, plain lines from a pipe. */

import { clearLine, createInterface, cursorTo, type Interface, type Key } from 'node:readline';
import type { Screen } from './screen.js';

export type ReadOptions = {
  readonly prompt: string;
  /** A question: takes one line, never a pasted one, and keeps it out of the history. */
  readonly question?: boolean;
  readonly signal?: AbortSignal;
};

export type InputStreams = { readonly input: NodeJS.ReadStream; readonly output: NodeJS.WriteStream };

type Reader = ReadOptions & { readonly resolve: (line: string | undefined) => void };

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';
const MORE_PROMPT = '… ';

export class LineInput {
  /** Whether a person types: lines that nobody reads go to `onWords`. From a pipe, lines wait to be read. */
  readonly interactive: boolean;
  onWords: (words: string) => void = () => {};
  onInterrupt: () => void = () => {};
  readonly #terminal: boolean;
  readonly #dumb: boolean;
  readonly #screen: Screen;
  readonly #output: NodeJS.WriteStream;
  readonly #lines: Interface;
  readonly #readers: Reader[] = [];
  readonly #waiting: string[] = [];
  readonly #whenFree: (() => void)[] = [];
  #parts: string[] = [];
  #ended = false;
  #pasting = false;
  #promptShown = false;

  constructor({ input, output }: InputStreams, screen: Screen) {
    this.interactive = input.isTTY === true;
    this.#terminal = this.interactive && output.isTTY === true;
    this.#dumb = process.env.TERM === 'dumb';
    this.#screen = screen;
    this.#output = output;
    this.#lines = createInterface({
      input,
      terminal: this.#terminal,
      ...(this.#terminal ? { output, historySize: 1000, removeHistoryDuplicates: true } : {}),
      crlfDelay: Number.POSITIVE_INFINITY,
    });
    this.#lines.on('line', (line) => this.#takeLine(line));
    this.#lines.on('close', () => this.#end());
    this.#lines.on('SIGINT', () => this.#interrupt());
    if (this.#terminal) this.#watchKeys(input);
  }

  get ended(): boolean {
    return this.#ended && this.#waiting.length === 0;
  }

  /** The next line with its continuations; undefined at the end of input or when the signal aborts. */
  async read(options: ReadOptions): Promise<string | undefined> {
    if (options.question) await this.#untilFree(options.signal);
    if (options.signal?.aborted || this.ended) return undefined;
    return new Promise((resolve) => {
      const settle = (line: string | undefined) => {
        options.signal?.removeEventListener('abort', onAbort);
        this.#readers.splice(this.#readers.indexOf(reader), 1);
        if (this.#lines.line === '') this.#hidePrompt();
        resolve(line);
        this.#serve();
      };
      const onAbort = () => {
        // A half-typed answer must not become the next prompt.
        if (options.question) this.#clearTyped();
        settle(undefined);
        this.#freed();
      };
      const reader: Reader = { ...options, resolve: settle };
      options.signal?.addEventListener('abort', onAbort, { once: true });
      if (this.#lines.line === '') this.#hidePrompt();
      this.#readers.push(reader);
      this.#serve();
    });
  }

  close(): void {
    this.#lines.close();
  }

  /** Restores the terminal. Safe to call twice, and while the process exits. */
  restore(): void {
    if (!this.#terminal) return;
    if (!this.#dumb) this.#screen.writeRaw(PASTE_OFF);
    if (process.stdin.isRaw) process.stdin.setRawMode(false);
  }

  get #reader(): Reader | undefined {
    return this.#readers.at(-1);
  }

  /** Gives a waiting line to the reader, or shows the prompt. */
  #serve(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    const line = this.#waiting.shift();
    if (line !== undefined) this.#deliver(line);
    else if (this.#ended) reader.resolve(undefined);
    else if (this.#screen.atLineStart || !this.#terminal) this.#showPrompt();
    else this.#screen.endLine();
  }

  #takeLine(line: string): void {
    if (this.#terminal) {
      this.#promptShown = false;
      this.#screen.lineBroken();
    }
    if (this.#pasting) {
      this.#parts.push(line);
      this.#showPrompt();
      return;
    }
    if (!this.#reader?.question && isContinued(line)) {
      this.#parts.push(line.slice(0, -1));
      this.#showPrompt();
      return;
    }
    const whole = [...this.#parts, line].join('\n');
    const pasted = this.#parts.length > 0;
    this.#parts = [];
    if (!this.interactive) {
      this.#waiting.push(whole);
      this.#serve();
    } else if (this.#reader?.question && pasted) {
      this.#screen.line('(pasted text is not accepted as an answer)');
    } else {
      this.#deliver(whole);
    }
    this.#freed();
  }

  #deliver(line: string): void {
    const reader = this.#reader;
    if (reader !== undefined) reader.resolve(line);
    else this.onWords(line);
  }

  #interrupt(): void {
    const typed = this.#clearTyped();
    this.#hidePrompt();
    this.#freed();
    // At the prompt, as in a shell: the first press only clears the line.
    if (!typed || this.#reader === undefined || this.#reader.question) this.onInterrupt();
    this.#serve();
  }

  /** Clears what was typed and not sent; returns whether there was anything. */
  #clearTyped(): boolean {
    const typed = this.#lines.line !== '' || this.#parts.length > 0;
    this.#parts = [];
    if (typed && this.#terminal) {
      this.#lines.write(null, { ctrl: true, name: 'e' });
      this.#lines.write(null, { ctrl: true, name: 'u' });
    }
    return typed;
  }

  #end(): void {
    this.#ended = true;
    if (this.#promptShown) this.#screen.writeRaw('\n');
    this.#promptShown = false;
    this.restore();
    this.#freed();
    for (const reader of [...this.#readers].reverse()) {
      if (this.#waiting.length === 0) reader.resolve(undefined);
    }
  }

  #watchKeys(input: NodeJS.ReadStream): void {
    if (!this.#dumb) this.#screen.writeRaw(PASTE_ON);
    this.#screen.aroundWrite = {
      before: () => this.#hidePrompt(),
      after: () => {
        if (this.#screen.atLineStart && this.#reader !== undefined) this.#showPrompt();
      },
    };
    // Runs before readline handles the key: a new line starts on a row of its own, and other output waits.
    input.prependListener('keypress', (_text: string | undefined, key: Key) => {
      if (key.name === 'paste-start') this.#pasting = true;
      if (key.name === 'paste-end') this.#pasting = false;
      if (this.#lines.line !== '' || this.#ended || !beginsLine(key)) return;
      if (!this.#promptShown) this.#beginLine();
      this.#screen.hold();
    });
    input.on('keypress', () => {
      if (this.#lines.line === '' && this.#parts.length === 0 && !this.#pasting) this.#freed();
    });
    this.#lines.on('history', (history) => {
      if (this.#reader?.question) history.shift();
    });
  }

  #beginLine(): void {
    if (!this.#screen.atLineStart) this.#screen.writeRaw('\n');
    this.#screen.lineBroken();
    this.#showPrompt();
  }

  /** The person's line is empty or sent: held output continues. */
  #freed(): void {
    if (this.#lines.line !== '' && !this.#ended) return;
    if (this.#reader === undefined) this.#hidePrompt();
    this.#screen.release();
    for (const go of this.#whenFree.splice(0)) go();
  }

  /** A line begun for something else must not become the answer to a question. */
  #untilFree(signal: AbortSignal | undefined): Promise<void> | undefined {
    const typing = this.#terminal && (this.#lines.line !== '' || this.#parts.length > 0) && !this.#ended;
    if (!typing) return undefined;
    return new Promise((resolve) => {
      this.#whenFree.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  #showPrompt(): void {
    if (!this.#terminal || this.#ended) return;
    this.#lines.setPrompt(this.#parts.length > 0 ? MORE_PROMPT : (this.#reader?.prompt ?? '> '));
    this.#lines.prompt(true);
    this.#promptShown = true;
  }

  #hidePrompt(): void {
    if (!this.#promptShown || !this.#terminal) return;
    this.#promptShown = false;
    if (this.#dumb) {
      this.#screen.writeRaw('\n');
    } else {
      cursorTo(this.#output, 0);
      clearLine(this.#output, 0);
    }
    this.#screen.lineBroken();
  }
}

/** An odd number of backslashes at the end continues the line. */
function isContinued(line: string): boolean {
  return (/\\+$/.exec(line)?.[0].length ?? 0) % 2 === 1;
}

/** Keys that put something on an empty line. */
function beginsLine(key: Key): boolean {
  if (key.ctrl && key.name !== 'y') return false;
  return key.name !== 'return' && key.name !== 'enter' && key.name !== 'backspace' && key.name !== 'escape';
}

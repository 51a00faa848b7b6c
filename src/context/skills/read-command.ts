/**
 * Finds the placeholders in a shell command and the quotes around each, so that a value becomes exactly its words. Where a
 * quoted word would be parsed differently (a comment, a here-document, backticks, `case`) or evaluated again (arithmetic,
 * `eval`, `read`), placeholders are left alone: they are not substituted in code that we can't parse. Pure.
 */

import { evaluatesVariables, isEvaluatedName } from './evaluated-words.js';
import type { Found, ReadPlaceholder } from './placeholders.js';

export type CommandPiece = string | InCommand;

export type InCommand = Found & {
  readonly quotes: 'none' | 'double' | 'single';
  /** `x=$ARGUMENTS`, `> $ARGUMENTS`: further words would have another meaning there, such as a command. */
  readonly isOneWord: boolean;
};

type Frame =
  | { readonly kind: 'double' }
  /** `resumes`: the start of the word that continues after the `)`. */
  | { readonly kind: 'command'; readonly resumes?: number };

export function readCommand(command: string, read: ReadPlaceholder): readonly CommandPiece[] {
  if (evaluatesVariables(command)) return [command];
  return new CommandScan(command, read).pieces();
}

/** Expansions without anything relevant inside. */
const PLAIN_EXPANSION = /\$\{[^'"`$\\{}()]*\}/y;
const HARD_WORD = /(?:case(?=\s)|[A-Za-z_]\w*\[|=~)/y;
const ASSIGNS = /^[A-Za-z_]\w*\+?=/;
const REDIRECTS = /(?:>\||[<>]&?)(?:[ \t]|\\\n)*$/;
const WIDEST_GAP = 200;
/** `$(`, `<(`, `a=(`, `@(`, `f()`. */
const OPENS_IN_WORD = /^(?:[$<>=?*+@!]\(|\w\(\))/;

class CommandScan {
  private readonly found: CommandPiece[] = [];
  private readonly frames: Frame[] = [{ kind: 'command' }];
  private at = 0;
  private begun = 0;
  /** The start of the current word. */
  private word = 0;
  /** The start of the current simple command. */
  private simple = 0;
  private inTest = false;
  private isLost = false;

  constructor(
    private readonly text: string,
    private readonly read: ReadPlaceholder,
  ) {}

  pieces(): readonly CommandPiece[] {
    while (this.at < this.text.length && !this.isLost) {
      if (this.frames.at(-1)?.kind === 'double') this.inDouble();
      else this.inCommand();
    }
    // Something was never closed, so the parse is unreliable.
    if (!this.isLost && this.frames.length !== 1) return [this.text];
    return [...this.found, this.text.slice(this.begun)];
  }

  private inDouble(): void {
    switch (this.text.charAt(this.at)) {
      case '\\':
        this.at += 2;
        return;
      case '"':
        this.frames.pop();
        this.at += 1;
        return;
      case '`':
        this.isLost = true;
        return;
      case '$':
        this.dollar('double');
        return;
      default:
        this.at += 1;
    }
  }

  private inCommand(): void {
    const letter = this.text.charAt(this.at);
    const startsWord = this.at === this.word;
    if (startsWord && this.matches(HARD_WORD)) {
      this.isLost = true;
      return;
    }
    if (startsWord && /^(?:\[\[\s|\]\])/.test(this.text.slice(this.at, this.at + 3))) this.inTest = letter === '[';
    switch (letter) {
      case '\\':
        this.skipEscape();
        return;
      case "'":
        this.single();
        return;
      case '"':
        this.frames.push({ kind: 'double' });
        this.at += 1;
        return;
      case '`':
        this.isLost = true;
        return;
      case '#':
        this.at = startsWord ? this.endOfLine() : this.at + 1;
        return;
      case '(':
        this.open();
        return;
      case ')':
        this.close();
        return;
      case '<':
        this.redirect();
        return;
      case '$':
        this.dollar('none');
        return;
      default:
        if (/[\s;&|>]/.test(letter)) this.nextWord();
        else this.at += 1;
    }
  }

  /** A line continuation does not end the word. */
  private skipEscape(): void {
    if (this.text.charAt(this.at + 1) === '\n' && this.at === this.word) this.word += 2;
    this.at += 2;
  }

  private open(): void {
    const isOwnWord = this.at === this.word && !/[<>]/.test(this.text.charAt(this.at - 1));
    this.isLost = !(isOwnWord || OPENS_IN_WORD.test(this.text.slice(Math.max(0, this.at - 1), this.at + 2)));
    // Arithmetic.
    if (this.text.charAt(this.at + 1) === '(') this.isLost = true;
    this.frames.push({ kind: 'command', ...(isOwnWord ? {} : { resumes: this.word }) });
    this.nextWord();
  }

  private close(): void {
    const closed = this.frames.pop();
    this.isLost = this.frames.length === 0;
    this.nextWord();
    if (closed?.kind === 'command' && closed.resumes !== undefined) this.word = closed.resumes;
  }

  private redirect(): void {
    if (this.text.startsWith('<<<', this.at)) this.at += 2;
    else if (this.text.startsWith('<<', this.at)) this.isLost = true;
    this.nextWord();
  }

  private nextWord(): void {
    if (/[;&|()\n]/.test(this.text.charAt(this.at))) this.simple = this.at + 1;
    this.at += 1;
    this.word = this.at;
  }

  private dollar(quotes: 'none' | 'double'): void {
    const next = this.text.charAt(this.at + 1);
    const found = this.read(this.text, this.at);
    if (found !== undefined) {
      this.add(found, quotes);
    } else if (next === '(') {
      this.at += 1;
      this.open();
    } else if (next === '{') {
      const length = this.matches(PLAIN_EXPANSION);
      if (length === undefined) this.isLost = true;
      else this.at += length;
    } else if (next === '[' || (quotes === 'none' && (next === "'" || next === '"'))) {
      this.isLost = true;
    } else {
      this.at += next === '$' ? 2 : 1;
    }
  }

  /** `'{print $1}'` belongs to the program; `'$1'` is an argument. */
  private single(): void {
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) {
      this.isLost = true;
      return;
    }
    const whole = this.text.slice(this.at + 1, end);
    for (let at = this.text.indexOf('$', this.at); at >= 0 && at < end; at = this.text.indexOf('$', at)) {
      const found = this.read(this.text, at);
      this.at = at;
      if (found === undefined || at + found.written.length > end) {
        at += 1;
      } else if (this.text.charAt(at - 1) === '\\') {
        this.found.push(this.text.slice(this.begun, at - 1));
        this.begun = at;
        at += 1;
      } else if (found.placeholder.kind === 'position' && found.written !== whole) {
        at += 1;
      } else {
        this.add(found, 'single');
        at = this.at;
      }
    }
    this.at = end + 1;
  }

  private add(found: Found, quotes: InCommand['quotes']): void {
    if (isEvaluatedName(this.text.slice(this.simple, this.at))) {
      this.at += found.written.length;
      return;
    }
    const isOneWord =
      quotes !== 'none' ||
      this.inTest ||
      ASSIGNS.test(this.text.slice(this.word, this.at)) ||
      REDIRECTS.test(this.text.slice(Math.max(0, this.word - WIDEST_GAP), this.word));
    this.found.push(this.text.slice(this.begun, this.at), { ...found, quotes, isOneWord });
    this.at += found.written.length;
    this.begun = this.at;
  }

  private matches(pattern: RegExp): number | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0].length;
  }

  private endOfLine(): number {
    const end = this.text.indexOf('\n', this.at);
    return end < 0 ? this.text.length : end;
  }
}

/** Quotes the words so that the shell gets them unchanged. */
export function quoteWords(words: readonly string[], { quotes }: Pick<InCommand, 'quotes'>): string {
  const quoted = words.map((word) => `'${word.replaceAll('\0', '').replaceAll("'", "'\\''")}'`);
  const joined = quoted.join(' ');
  switch (quotes) {
    case 'none':
      return joined;
    case 'double':
      return `"${joined}"`;
    case 'single':
      return `'${joined}'`;
    default:
      return quotes satisfies never;
  }
}

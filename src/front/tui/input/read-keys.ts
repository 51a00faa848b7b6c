/**
 * Turns terminal input into key events. A key, a paste or a reply may arrive in any number of pieces. Typed text, or text
 * of an input method, becomes one event per code point, so that the same bytes give the same events however they were
 * split. The editor joins what belongs together (an emoji of several).
 */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { type Cancel, type Clock, realClock } from '../../../host/clock.js';
import type { KeyEvent } from './key-event.js';
import { controlKey, typed } from './keys/key-names.js';
import { beginsSequence, endOfString, LONGEST_SEQUENCE, readSequence } from './keys/read-sequence.js';

/** An ESC followed by nothing for this long was the key. */
const LONE_ESC_MS = 30;
/** An incomplete sequence may be delayed on a slow line. */
const BEGUN_MS = 300;
const ESC = '\u001b';
const PASTE_END = `${ESC}[201~`;
/** A lone Ctrl+C during a paste: the end mark was lost, and the user wants out. */
const LONE_CTRL_C = new Set(['\u0003', `${ESC}[99;5u`]);

export class KeyReader {
  readonly #onPress: (event: KeyEvent) => void;
  readonly #clock: Pick<Clock, 'after'>;
  /** Unread input: the beginning of something. */
  #rest = '';
  /** The paste so far. */
  #paste: string[] | undefined;
  /** Inside a string of the terminal that is too long to store. */
  #isSkipping = false;
  #cancel: Cancel | undefined;

  constructor(onPress: (event: KeyEvent) => void, clock: Pick<Clock, 'after'> = realClock) {
    this.#onPress = onPress;
    this.#clock = clock;
  }

  push(data: string): void {
    this.#stopWaiting();
    if (this.#paste !== undefined && LONE_CTRL_C.has(data)) this.#endPaste();
    const all = this.#rest + data;
    this.#rest = '';
    let at = 0;
    while (at < all.length) {
      const next = this.#step(all, at);
      if (next === undefined) break;
      at = next;
    }
    this.#rest += all.slice(at);
    if ((this.#rest !== '' || this.#isSkipping) && this.#paste === undefined) this.#wait();
  }

  /** End of input: pending input is emitted as it is. */
  close(): void {
    this.#stopWaiting();
    if (this.#paste !== undefined) this.#endPaste();
    else this.#giveUp();
  }

  /** Reads one event and returns the start of the next. Undefined: more input is needed. */
  #step(all: string, at: number): number | undefined {
    if (this.#paste !== undefined) return this.#takePaste(all, at, this.#paste);
    if (this.#isSkipping) return this.#skip(all, at);
    const char = all[at] ?? '';
    if (beginsSequence(char)) return this.#takeSequence(all, at);
    if (char < ' ' || (char >= '\u007f' && char < '\u00a0')) {
      this.#give(controlKey(char));
      return at + 1;
    }
    const text = String.fromCodePoint(all.codePointAt(at) ?? 0);
    // Half a character: the other half is in the next piece.
    const isHalf = text >= '\ud800' && text <= '\udbff' && text.length === 1;
    if (isHalf && at + 1 === all.length) return undefined;
    if (!/^[\ud800-\udfff]$/.test(text)) this.#give(typed(text));
    return at + text.length;
  }

  #takeSequence(all: string, at: number): number | undefined {
    const sequence = readSequence(all, at);
    switch (sequence.kind) {
      case 'begun':
        if (all.length - at <= LONGEST_SEQUENCE) return undefined;
        this.#isSkipping = true;
        return at + 2;
      case 'paste':
        this.#paste = [];
        return sequence.end;
      case 'whole':
        this.#give(sequence.event);
        return sequence.end;
    }
  }

  #takePaste(all: string, at: number, pieces: string[]): number | undefined {
    const end = all.indexOf(PASTE_END, at);
    if (end >= 0) {
      pieces.push(all.slice(at, end));
      this.#endPaste();
      return end + PASTE_END.length;
    }
    // The end mark may be split.
    const mark = all.lastIndexOf(ESC);
    const isMark = mark >= at && PASTE_END.startsWith(all.slice(mark));
    const until = isMark ? mark : all.length;
    pieces.push(all.slice(at, until));
    this.#rest = all.slice(until);
    return all.length;
  }

  #endPaste(): void {
    const text = `${this.#paste?.join('') ?? ''}${this.#rest}`;
    this.#paste = undefined;
    this.#rest = '';
    this.#give({ kind: 'paste', text: stripControls(text.replace(/\r\n?/g, '\n')) });
  }

  #skip(all: string, at: number): number | undefined {
    const end = endOfString(all, at)?.end;
    if (end !== undefined) this.#isSkipping = false;
    // An ESC at the end may be the first half of the end mark.
    if (end === undefined && all.endsWith(ESC)) return at < all.length - 1 ? all.length - 1 : undefined;
    return end ?? all.length;
  }

  #wait(): void {
    this.#cancel = this.#clock.after(isOnlyEsc(this.#rest) ? LONE_ESC_MS : BEGUN_MS, () => {
      this.#cancel = undefined;
      this.#giveUp();
    });
  }

  /** Nothing followed: an ESC was the key Esc, ESC with a character was Alt. The rest of a sequence is dropped. */
  #giveUp(): void {
    const rest = this.#rest;
    this.#rest = '';
    const wasSkipping = this.#isSkipping;
    this.#isSkipping = false;
    if (wasSkipping) return;
    if (isOnlyEsc(rest)) for (const _ of rest) this.#give({ kind: 'key', name: 'esc' });
    else if (rest.length === 2 && rest.startsWith(ESC)) this.#give({ kind: 'key', name: `alt+${rest[1]}` });
  }

  #stopWaiting(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #give(event: KeyEvent | undefined): void {
    if (event !== undefined) this.#onPress(event);
  }
}

function isOnlyEsc(text: string): boolean {
  return text === ESC.repeat(text.length);
}

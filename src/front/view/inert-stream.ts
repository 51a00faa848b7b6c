/**
 * Makes text inert while it streams. A control sequence may be split across chunks, so text that could still be part of
 * one is held until the rest arrives. The output equals `stripUnsafe` of the whole text.
 */

import { stripControls } from '../../gate/permissions/strip-controls.js';

/** A longer open sequence adds no information: its content is stripped anyway. */
const LONGEST_OPEN = 512;

export class InertStream {
  #raw = '';
  /** The last character emitted; it decides whether a joiner stays. */
  #before = '';

  push(piece: string): string {
    this.#raw += piece;
    const open = findOpen(this.#raw);
    const ready = this.#raw.slice(0, open);
    this.#raw = shorten(this.#raw.slice(open));
    return this.#release(ready);
  }

  /** Returns the held text, at the end of the stream. */
  end(): string {
    const rest = this.#release(this.#raw);
    this.#raw = '';
    this.#before = '';
    return rest;
  }

  #release(raw: string): string {
    if (raw === '') return '';
    const clean = stripControls(this.#before + raw);
    const text = clean.startsWith(this.#before) ? clean.slice(this.#before.length) : clean;
    this.#before = [...text.slice(-2)].at(-1) ?? this.#before;
    return text;
  }
}

/** Start of the part that the next chunk may continue; the length if nothing is open. Linear in the text. */
function findOpen(raw: string): number {
  return openJoin(raw, Math.min(openString(raw), openSequence(raw)));
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: finding control sequences is the point.
/** A string sequence (OSC, DCS, SOS, PM, APC) that began on this line and has not ended. */
function openString(raw: string): number {
  const line = Math.max(...['\n', '\u0007', '\u009c'].map((end) => raw.lastIndexOf(end))) + 1;
  const lastEscape = raw.lastIndexOf('\u001b', raw.length - 2);
  const from = Math.max(line, raw.length < 2 ? 0 : lastEscape);
  const found = raw.slice(from).search(/^\u001b[\]PX^_]|[\u0090\u0098\u009d\u009e\u009f]/);
  return found === -1 ? raw.length : from + found;
}

function openSequence(raw: string): number {
  const found = raw.search(/(?:\u001b\[|\u009b)[\u0030-\u003f]*[\u0020-\u002f]*$|\u001b[\u0020-\u002f]*$/);
  return found === -1 ? raw.length : found;
}
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: finding control sequences is the point.

/** Joiners, flags, tag letters or half a character at the end. */
function openJoin(raw: string, end: number): number {
  const isHalf = (at: number) => /[\ud800-\udbff]/.test(raw[at] ?? '');
  let open = end > 0 && isHalf(end - 1) ? end - 1 : end;
  for (;;) {
    const size = open > 1 && isHalf(open - 2) ? 2 : 1;
    const char = raw.slice(Math.max(0, open - size), open);
    if (!/^(?:\u200c|\u200d|\u{1f3f4}|[\u{e0020}-\u{e007e}])$/u.test(char)) return open;
    open -= size;
  }
}

/** Keeps the beginning and the end of a long open sequence: enough to recognise it and to find its end. */
function shorten(open: string): string {
  return open.length <= LONGEST_OPEN ? open : open.slice(0, 2) + open.slice(-2);
}

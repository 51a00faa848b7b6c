/** Reads one escape sequence off the front of terminal input: a key, a reply of the terminal, or noise. */

import type { KeyEvent } from '../key-event.js';
import {
  ALT_KEY,
  altKey,
  applicationKey,
  CTRL_KEY,
  codedKey,
  controlKey,
  letterKey,
  modifiersOf,
  numberKey,
  SHIFT_KEY,
} from './key-names.js';

export type Sequence =
  /** `event` undefined: complete and without meaning. */
  | { readonly kind: 'whole'; readonly end: number; readonly event?: KeyEvent | undefined }
  | { readonly kind: 'paste'; readonly end: number }
  /** Incomplete, if it is a sequence at all. */
  | { readonly kind: 'begun' };

const ESC = '\u001b';
const BEL = '\u0007';
/** More than any terminal sends in one; a longer string reply is not stored. */
export const LONGEST_SEQUENCE = 4096;
/** `P X ] ^ _`: a string follows, up to its terminator. */
const STRINGS = 'PX]^_';
/** The introducers as one character, and as the letter after an ESC. */
const SINGLE: Readonly<Record<string, string>> = {
  '\u008f': 'O',
  '\u0090': 'P',
  '\u0098': 'X',
  '\u009b': '[',
  '\u009d': ']',
  '\u009e': '^',
  '\u009f': '_',
};

/** Reads the sequence at `from`, which is an ESC or a single-character introducer. */
export function readSequence(data: string, from: number): Sequence {
  const single = SINGLE[data[from] ?? ''];
  const at = single === undefined ? from + 1 : from;
  const letter = single ?? data[at];
  if (letter === undefined) return { kind: 'begun' };
  if (letter === '[') return readCsi(data, at + 1);
  if (letter === 'O') return readApplication(data, at + 1);
  if (STRINGS.includes(letter)) return readString(data, letter, at + 1);
  if (letter === ESC) return readDoubleEscape(data, from);
  const char = String.fromCodePoint(data.codePointAt(at) ?? 0);
  const end = at + char.length;
  if (char < ' ' || char === '\u007f') return { kind: 'whole', end, event: controlKey(char, ALT_KEY) };
  if (char >= '\u0080' && char < '\u00a0') return { kind: 'whole', end };
  return { kind: 'whole', end, event: altKey(char) };
}

export function beginsSequence(char: string): boolean {
  return char === ESC || SINGLE[char] !== undefined;
}

/** The end of the string that this text is inside of: after its terminator, or before what breaks it off. */
export function endOfString(data: string, from: number): { readonly text: number; readonly end: number } | undefined {
  for (let at = from; at < data.length; at += 1) {
    const char = data[at];
    if (char === BEL || char === '\u009c') return { text: at, end: at + 1 };
    if (char !== ESC) continue;
    if (at + 1 === data.length) return undefined;
    return { text: at, end: data[at + 1] === '\\' ? at + 2 : at };
  }
  return undefined;
}

/** `ESC ESC`: the key Esc, and then something else; or Alt with a key that is a sequence itself. */
function readDoubleEscape(data: string, from: number): Sequence {
  const third = data[from + 2];
  if (third === undefined) return { kind: 'begun' };
  const esc: Sequence = { kind: 'whole', end: from + 1, event: { kind: 'key', name: 'esc' } };
  if (third !== '[' && third !== 'O') return esc;
  const inner = readSequence(data, from + 1);
  if (inner.kind !== 'whole') return inner.kind === 'begun' ? inner : esc;
  const key = /^[[O]([A-DFH])$|^\[([1-8])~$/.exec(data.slice(from + 2, inner.end));
  if (key === null) return esc;
  const [, letter, number] = key;
  const event = letter === undefined ? numberKey(Number(number), ALT_KEY) : letterKey(letter, ALT_KEY);
  return { kind: 'whole', end: inner.end, event };
}

function readCsi(data: string, begin: number): Sequence {
  // The Linux console: F1 to F5 are `ESC [ [ A` to `E`.
  if (data[begin] === '[') {
    const letter = data[begin + 1];
    if (letter === undefined) return { kind: 'begun' };
    const isKey = letter >= 'A' && letter <= 'E';
    const name = `f${letter.charCodeAt(0) - 64}`;
    return isKey ? { kind: 'whole', end: begin + 2, event: { kind: 'key', name } } : { kind: 'whole', end: begin + 1 };
  }
  let at = begin;
  while (at < data.length && isBetween(data, at, '\u0030', '\u003f')) at += 1;
  const parameters = data.slice(begin, at);
  while (at < data.length && isBetween(data, at, '\u0020', '\u002f')) at += 1;
  const hasIntermediate = at > begin + parameters.length;
  if (at === data.length) return { kind: 'begun' };
  // An invalid character breaks the sequence off, and is read on its own.
  if (!isBetween(data, at, '\u0040', '\u007e')) return { kind: 'whole', end: at };
  const end = at + 1;
  const final = data[at] ?? '';
  if (final === 'M' && parameters === '')
    return data.length < end + 3 ? { kind: 'begun' } : { kind: 'whole', end: end + 3 };
  if (hasIntermediate || /^[<=>?]/.test(parameters)) return { kind: 'whole', end };
  if (final === '~' && parameters === '200') return { kind: 'paste', end };
  return { kind: 'whole', end, event: csiPress(parameters, final) };
}

function csiPress(parameters: string, final: string): KeyEvent | undefined {
  if (parameters === '' && final === 'I') return { kind: 'focus', has: true };
  if (parameters === '' && final === 'O') return { kind: 'focus', has: false };
  const [first = [], second = [], third = []] = parameters.split(';').map((part) => part.split(':').map(numberOf));
  const modifiers = modifiersOf(second[0]);
  const isRelease = second[1] === 3;
  if (isRelease) return undefined;
  switch (final) {
    case 'u':
      return first[0] === undefined
        ? undefined
        : codedKey({ code: first[0], shifted: first[1], base: first[2], modifiers, text: textOf(third) });
    case '~':
      if (first[0] === 27 && third[0] !== undefined) return codedKey({ code: third[0], modifiers });
      return first[0] === undefined ? undefined : numberKey(first[0], modifiers);
    case '^': // rxvt: with ctrl
      return first[0] === undefined ? undefined : numberKey(first[0], modifiers | CTRL_KEY);
    case '@': // rxvt: with ctrl and shift
      return first[0] === undefined ? undefined : numberKey(first[0], modifiers | CTRL_KEY | SHIFT_KEY);
    case 'Z':
      return { kind: 'key', name: 'shift+tab' };
    case 'a':
    case 'b':
    case 'c':
    case 'd': // rxvt: arrows with shift
      return parameters === '' ? letterKey(final.toUpperCase(), SHIFT_KEY) : undefined;
    case 'R': // F3, or a cursor report
      return parameters === '' || first[0] === 1 ? letterKey(final, modifiers) : undefined;
    default:
      return letterKey(final, modifiers);
  }
}

/** `ESC O`, perhaps modifiers, and a letter. Otherwise it was Alt with a capital O. */
function readApplication(data: string, at: number): Sequence {
  const [whole, digit, letter] = /^([2-8])?([A-Za-z])?/.exec(data.slice(at, at + 2)) ?? [''];
  if (letter === undefined && at + (digit === undefined ? 0 : 1) >= data.length) return { kind: 'begun' };
  const event = letter === undefined ? undefined : applicationKey(letter, modifiersOf(numberOf(digit ?? '')));
  return event === undefined
    ? { kind: 'whole', end: at, event: altKey('O') }
    : { kind: 'whole', end: at + whole.length, event };
}

function readString(data: string, letter: string, begin: number): Sequence {
  const found = endOfString(data, begin);
  if (found === undefined) return { kind: 'begun' };
  const event = letter === ']' ? readBackground(data.slice(begin, found.text)) : undefined;
  return { kind: 'whole', end: found.end, event };
}

function textOf(codes: readonly (number | undefined)[]): string | undefined {
  const text = codes.map((code) => codedKey({ code: code ?? 0, modifiers: 0 })?.text ?? '').join('');
  return text === '' ? undefined : text;
}

function numberOf(digits: string): number | undefined {
  return /^\d{1,7}$/.test(digits) ? Number(digits) : undefined;
}

function isBetween(data: string, at: number, low: string, high: string): boolean {
  const char = data[at] ?? '';
  return char >= low && char <= high;
}

/** The terminal's background colour, from its reply to OSC 11. */
function readBackground(answer: string): KeyEvent | undefined {
  const rgb = /^11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})(?:\/[0-9a-f]{1,4})?$/i.exec(answer);
  const hash = /^11;#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(answer);
  const [, red, green, blue] = rgb ?? hash ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return { kind: 'background', red: shareOf(red), green: shareOf(green), blue: shareOf(blue) };
}

function shareOf(digits: string): number {
  return Number.parseInt(digits, 16) / (16 ** digits.length - 1);
}

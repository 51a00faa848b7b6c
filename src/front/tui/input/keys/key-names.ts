/** Names keys by the codes that terminals send for them. */

import type { NamedKey } from '../key-event.js';

/** The bits of a modifier parameter, less one, as xterm and kitty send it. */
const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
const SUPER = 8;
const HYPER = 16;
const META = 32;
const CAPS_LOCK = 64;

/** The final byte of `ESC [` and `ESC O`. */
const BY_LETTER: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};

/** The first parameter of `ESC [ … ~`. */
const BY_NUMBER: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  ...Object.fromEntries([11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24].map((code, at) => [code, `f${at + 1}`])),
  ...Object.fromEntries([25, 26, 28, 29, 31, 32, 33, 34].map((code, at) => [code, `f${at + 13}`])),
};

/** Codes of keys that type nothing, and of the keypad (kitty's private area). */
const BY_CODE: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'esc',
  127: 'backspace',
  57414: 'enter',
  ...Object.fromEntries(
    ['left', 'right', 'up', 'down', 'pageup', 'pagedown', 'home', 'end', 'insert', 'delete'].map((name, at) => [
      57417 + at,
      name,
    ]),
  ),
  ...Object.fromEntries(Array.from({ length: 23 }, (_, at) => [57376 + at, `f${at + 13}`])),
};
const KEYPAD = '0123456789./*-+';
const KEYPAD_FIRST = 57399;
const PRIVATE_FIRST = 57344;
const PRIVATE_LAST = 63743;

/** The result of shift on most keyboards: shift is part of the character. */
const SHIFTED = '~!@#$%^&*()_+{}|:"<>?';

/** Keys of the keypad after `ESC O`, in application mode. */
const KEYPAD_LETTERS: Readonly<Record<string, string>> = { j: '*', k: '+', l: ',', m: '-', n: '.', o: '/', X: '=' };

export function letterKey(letter: string, modifiers: number): NamedKey | undefined {
  const name = BY_LETTER[letter];
  return name === undefined ? undefined : withModifiers(name, modifiers);
}

export function numberKey(number: number, modifiers: number): NamedKey | undefined {
  const name = BY_NUMBER[number];
  return name === undefined ? undefined : withModifiers(name, modifiers);
}

/** `ESC O` and a letter. */
export function applicationKey(letter: string, modifiers: number): NamedKey | undefined {
  if (letter === 'M') return withModifiers('enter', modifiers);
  if (letter === 'I') return withModifiers('tab', modifiers);
  if (letter >= 'p' && letter <= 'y') return typed(String(letter.charCodeAt(0) - 112));
  // rxvt: arrows with ctrl.
  if (letter >= 'a' && letter <= 'd') return letterKey(letter.toUpperCase(), modifiers | CTRL);
  const keypad = KEYPAD_LETTERS[letter];
  return keypad === undefined ? letterKey(letter, modifiers) : typed(keypad);
}

export type CodedKey = {
  /** The code point that the key types without modifiers, or a code of kitty's private area. */
  readonly code: number;
  /** The text with shift, if the terminal reports it. */
  readonly shifted?: number | undefined;
  /** The key at the same place on a US keyboard, if the terminal reports it. */
  readonly base?: number | undefined;
  readonly modifiers: number;
  /** The text it types, if the terminal reports it. */
  readonly text?: string | undefined;
};

/** A key by its code point: kitty's `CSI u`, and modifyOtherKeys. Undefined: a key that only modifies, or a hostile code. */
export function codedKey(key: CodedKey): NamedKey | undefined {
  const { modifiers } = key;
  const special = BY_CODE[key.code];
  if (special !== undefined) return withModifiers(special, modifiers);
  const keypad = KEYPAD[key.code - KEYPAD_FIRST];
  const char = keypad ?? charOf(key.code);
  if (char === undefined) return undefined;
  const commands = (modifiers & (ALT | CTRL | SUPER | HYPER | META)) !== 0;
  if (!commands) return plainKey(key, char);
  const latin = key.code > 127 && key.base !== undefined ? charOf(key.base) : undefined;
  return commandKey(latin ?? char, modifiers, key.shifted === undefined ? undefined : charOf(key.shifted));
}

/** A key that types. */
export function typed(text: string): NamedKey {
  return { kind: 'key', name: text === ' ' ? 'space' : text, text };
}

/** Alt with a character, in the traditional encoding: the character after an ESC. */
export function altKey(char: string): NamedKey {
  return { kind: 'key', name: `alt+${char === ' ' ? 'space' : char}` };
}

/** A control character on its own. Undefined: no key sends it. */
export function controlKey(char: string, modifiers = 0): NamedKey | undefined {
  const code = char.charCodeAt(0);
  if (char === '\r' || (char === '\n' && modifiers !== 0)) return withModifiers('enter', modifiers);
  if (char === '\t') return withModifiers('tab', modifiers);
  if (code === 0x7f) return withModifiers('backspace', modifiers);
  if (code === 0) return withModifiers('space', modifiers | CTRL);
  if (code > 0x1f) return undefined;
  return withModifiers(String.fromCharCode(code + 0x40).toLowerCase(), modifiers | CTRL);
}

/** The modifiers of the second parameter: `5` is ctrl. */
export function modifiersOf(parameter: number | undefined): number {
  return parameter === undefined || parameter < 1 ? 0 : parameter - 1;
}

export const ALT_KEY = ALT;
export const SHIFT_KEY = SHIFT;
export const CTRL_KEY = CTRL;

function plainKey(key: CodedKey, char: string): NamedKey {
  const upper = ((key.modifiers & SHIFT) !== 0) !== ((key.modifiers & CAPS_LOCK) !== 0 && isLetter(char));
  const shifted = key.shifted === undefined ? undefined : charOf(key.shifted);
  const text = key.text ?? (upper ? (shifted ?? upperOf(char)) : char);
  if (text === ' ' && upper) return { kind: 'key', name: 'shift+space', text };
  return typed(text);
}

function commandKey(char: string, modifiers: number, shifted: string | undefined): NamedKey {
  if ((modifiers & SHIFT) === 0) return withModifiers(nameOf(isLetter(char) ? char.toLowerCase() : char), modifiers);
  const without = modifiers & ~SHIFT;
  if (isLetter(char)) {
    // Other terminals also send the capital itself without ctrl; with ctrl only these distinguish it.
    const isAltOnly = (modifiers & (CTRL | SUPER)) === 0;
    return isAltOnly ? withModifiers(upperOf(char), without) : withModifiers(char.toLowerCase(), modifiers);
  }
  if (shifted !== undefined) return withModifiers(nameOf(shifted), without);
  return withModifiers(nameOf(char), SHIFTED.includes(char) ? without : modifiers);
}

function withModifiers(name: string, modifiers: number): NamedKey {
  // No common keyboard has Hyper; its keys must not type.
  const prefix =
    ((modifiers & (SUPER | HYPER)) !== 0 ? 'super+' : '') +
    ((modifiers & CTRL) !== 0 ? 'ctrl+' : '') +
    ((modifiers & (ALT | META)) !== 0 ? 'alt+' : '') +
    ((modifiers & SHIFT) !== 0 ? 'shift+' : '');
  return { kind: 'key', name: prefix + name };
}

function charOf(code: number): string | undefined {
  const isPrivate = code >= PRIVATE_FIRST && code <= PRIVATE_LAST;
  const isControl = code < 32 || (code >= 127 && code < 160);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return isPrivate || isControl || isSurrogate || !(code <= 0x10ffff) ? undefined : String.fromCodePoint(code);
}

function nameOf(char: string): string {
  return char === ' ' ? 'space' : char;
}

function isLetter(char: string): boolean {
  return char.toLowerCase() !== char.toUpperCase();
}

/** Some capitals are two characters; those stay as they are. */
function upperOf(char: string): string {
  const upper = char.toUpperCase();
  return upper.length === char.length ? upper : char;
}

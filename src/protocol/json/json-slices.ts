/**
 * Finds the byte ranges of the parts of a JSON text without parsing them, so that stored bytes can be reused unchanged.
 * Parsing and serialising again would reorder integer-like keys and change numbers.
 */

export type Slice = { readonly start: number; readonly end: number };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The members of the object that begins at `from`: name → the range of its value. The text must be valid JSON. */
export function sliceMembers(json: Uint8Array, from = 0): Map<string, Slice> {
  const members = new Map<string, Slice>();
  let at = skipBlank(json, from);
  if (json[at] !== OPEN_BRACE) throw new Error('not a JSON object');
  at = skipBlank(json, at + 1);
  while (json[at] !== CLOSE_BRACE) {
    const nameEnd = endOfString(json, at);
    const name: unknown = JSON.parse(decode(json, { start: at, end: nameEnd }));
    at = skipBlank(json, nameEnd);
    if (json[at] !== COLON || typeof name !== 'string') throw new Error('not a JSON object');
    const start = skipBlank(json, at + 1);
    const end = endOfValue(json, start);
    members.set(name, { start, end });
    at = skipBlank(json, end);
    if (json[at] === COMMA) at = skipBlank(json, at + 1);
    else if (json[at] !== CLOSE_BRACE) throw new Error('not a JSON object');
  }
  return members;
}

/** The elements of the array that begins at `from`. */
export function sliceElements(json: Uint8Array, from = 0): Slice[] {
  const elements: Slice[] = [];
  let at = skipBlank(json, from);
  if (json[at] !== OPEN_BRACKET) throw new Error('not a JSON array');
  at = skipBlank(json, at + 1);
  while (json[at] !== CLOSE_BRACKET) {
    const end = endOfValue(json, at);
    elements.push({ start: at, end });
    at = skipBlank(json, end);
    if (json[at] === COMMA) at = skipBlank(json, at + 1);
    else if (json[at] !== CLOSE_BRACKET) throw new Error('not a JSON array');
  }
  return elements;
}

function endOfValue(json: Uint8Array, start: number): number {
  const first = json[start];
  if (first === QUOTE) return endOfString(json, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNest(json, start);
  let at = start;
  while (at < json.length && !endsPlainValue(json[at])) at += 1;
  if (at === start) throw new Error('not a JSON value');
  return at;
}

function endOfNest(json: Uint8Array, start: number): number {
  let depth = 0;
  let at = start;
  while (at < json.length) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = endOfString(json, at);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
    at += 1;
  }
  throw new Error('JSON ends too early');
}

function endOfString(json: Uint8Array, start: number): number {
  let from = start + 1;
  for (;;) {
    const quote = json.indexOf(QUOTE, from);
    if (json[start] !== QUOTE || quote < 0) throw new Error('not a JSON string');
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

function endsPlainValue(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isBlank(byte);
}

function skipBlank(json: Uint8Array, from: number): number {
  let at = from;
  while (at < json.length && isBlank(json[at])) at += 1;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function decode(json: Uint8Array, slice: Slice): string {
  return new TextDecoder().decode(json.subarray(slice.start, slice.end));
}

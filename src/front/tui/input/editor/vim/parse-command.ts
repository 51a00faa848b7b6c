/** Parses the keys of vim's normal mode into a command, as soon as it is complete. */

export type Operator = 'd' | 'c' | 'y';

export type Motion =
  | { readonly kind: 'key'; readonly key: string }
  /** `f`, `F`, `t`, `T` and the character to find. */
  | { readonly kind: 'find'; readonly key: 'f' | 'F' | 't' | 'T'; readonly char: string }
  /** The word at the cursor; `a`: with the space after it. */
  | { readonly kind: 'word'; readonly key: 'i' | 'a' };

export type Command =
  | { readonly kind: 'move'; readonly count: number | undefined; readonly motion: Motion }
  | {
      readonly kind: 'operate';
      readonly operator: Operator;
      readonly count: number | undefined;
      readonly motion: Motion;
    }
  /** `dd`, `cc`, `yy` */
  | { readonly kind: 'lines'; readonly operator: Operator; readonly count: number | undefined }
  | { readonly kind: 'replace'; readonly count: number | undefined; readonly char: string }
  | { readonly kind: 'simple'; readonly count: number | undefined; readonly key: string };

export type Parsed = Command | { readonly kind: 'more' } | { readonly kind: 'none' };

const MOTIONS = new Set([...'hjklwbeWBE0^$G;,', 'gg']);
const SIMPLE = new Set([...'xXDCYsSpPuiaIAoOJ~.vV']);
/** More than any text needs; a count of millions must not block the machine. */
const MOST = 9999;

export function parseCommand(keys: readonly string[]): Parsed {
  const first = readCount(keys, 0);
  const key = keys[first.end];
  if (key === undefined) return { kind: 'more' };
  if (key === 'd' || key === 'c' || key === 'y') return parseOperation(keys, key, first);
  if (key === 'r') {
    const char = keys[first.end + 1];
    return char === undefined ? { kind: 'more' } : { kind: 'replace', count: first.count, char };
  }
  if (SIMPLE.has(key)) return { kind: 'simple', count: first.count, key };
  const motion = parseMotion(keys, first.end);
  return motion.kind === 'more' || motion.kind === 'none' ? motion : { kind: 'move', count: first.count, motion };
}

type Count = { readonly count: number | undefined; readonly end: number };

function parseOperation(keys: readonly string[], operator: Operator, first: Count): Parsed {
  const second = readCount(keys, first.end + 1);
  const count =
    first.count === undefined && second.count === undefined ? undefined : (first.count ?? 1) * (second.count ?? 1);
  const key = keys[second.end];
  if (key === operator) return { kind: 'lines', operator, count };
  if (key === 'i' || key === 'a') {
    const object = keys[second.end + 1];
    if (object === undefined) return { kind: 'more' };
    return object === 'w' ? { kind: 'operate', operator, count, motion: { kind: 'word', key } } : { kind: 'none' };
  }
  const motion = parseMotion(keys, second.end);
  return motion.kind === 'more' || motion.kind === 'none' ? motion : { kind: 'operate', operator, count, motion };
}

function parseMotion(
  keys: readonly string[],
  at: number,
): Motion | { readonly kind: 'more' } | { readonly kind: 'none' } {
  const key = keys[at];
  const next = keys[at + 1];
  if (key === undefined || (key === 'g' && next === undefined)) return { kind: 'more' };
  if (key === 'g') return next === 'g' ? { kind: 'key', key: 'gg' } : { kind: 'none' };
  if (key === 'f' || key === 'F' || key === 't' || key === 'T') {
    return next === undefined ? { kind: 'more' } : { kind: 'find', key, char: next };
  }
  return MOTIONS.has(key) ? { kind: 'key', key } : { kind: 'none' };
}

/** A zero alone is the start of the line. */
function readCount(keys: readonly string[], from: number): Count {
  let end = from;
  while (/^[0-9]$/.test(keys[end] ?? '') && !(end === from && keys[end] === '0')) end += 1;
  const digits = keys.slice(from, end).join('');
  return { count: digits === '' ? undefined : Math.min(MOST, Number(digits)), end };
}

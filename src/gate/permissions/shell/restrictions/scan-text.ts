/**
 * The last resort for deny rules when a command is opaque: checks whether the denied words appear in the text, in order.
 * Quotes and backslashes are dropped first, as a shell would. It finds too much on purpose.
 */

import { type CommandPattern, matchStars } from '../../rules/command-pattern.js';
import type { PathPattern } from '../../rules/path-pattern.js';
import { programName } from './wrappers.js';

const BETWEEN_WORDS = /[^\p{L}\p{N}_./-]+/u;

export interface TextScan {
  hasCommand(pattern: CommandPattern): boolean;
  /** True if the longest literal part of the pattern appears. */
  hasPath(pattern: PathPattern): boolean;
}

/** Splits the text once, for any number of rules. Escapes may belong to a `$'…'` hidden by other quotes, so both readings are scanned. */
export function scanText(text: string): TextScan {
  const scans = [scanBare(() => dropQuotes(text))];
  if (/\\[xuU0-7]/.test(text)) scans.push(scanBare(() => dropQuotes(readEscapes(text))));
  return {
    hasCommand: (pattern) => scans.some((scan) => scan.hasCommand(pattern)),
    hasPath: (pattern) => scans.some((scan) => scan.hasPath(pattern)),
  };
}

function scanBare(read: () => string): TextScan {
  let bare: string | undefined;
  let words: Words | undefined;
  const bareText = () => (bare ??= read());
  return {
    hasCommand: (pattern) => {
      if (pattern.form === 'wild') return matchStars(`*${pattern.text}*`, bareText());
      if (!mayContain(bareText(), pattern.words[0] ?? '')) return false;
      words ??= splitWords(bareText());
      return hasInOrder(pattern.words, words);
    },
    hasPath: ({ pattern }) => {
      const pieces = pattern.split(/[*?/]|\[[^\]]*\]/).map((piece) => piece.replace(/\\/g, ''));
      const longest = pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), '');
      return bareText().toLowerCase().includes(longest.normalize('NFKC').toLowerCase());
    },
  };
}

function dropQuotes(text: string): string {
  return text
    .replace(/\\\n/g, '')
    .replace(/\$'((?:[^'\\]|\\[\s\S])*)'/g, (_, inner: string) => readEscapes(inner))
    .replace(/["'\\]/g, '')
    .normalize('NFKC');
}

/** The escapes of `$'…'` that spell a letter. */
function readEscapes(inner: string): string {
  return inner.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))/g,
    (whole, hex?: string, short?: string, long?: string, octal?: string) => {
      const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** Splitting a long text is worthwhile only if the name is in it. Look-alike letters need the slow path. */
function mayContain(bare: string, name: string): boolean {
  return /[^\t\n\r -~]/.test(bare) || bare.toLowerCase().includes(programName(name));
}

type Words = { readonly tokens: readonly string[]; readonly firstOf: ReadonlyMap<string, number> };

function splitWords(bare: string): Words {
  const tokens = bare.split(BETWEEN_WORDS);
  const firstOf = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    const name = programName(token);
    if (!firstOf.has(name)) firstOf.set(name, index);
  }
  return { tokens, firstOf };
}

function hasInOrder([name, ...rest]: readonly string[], words: Words): boolean {
  const first = name === undefined ? undefined : findName(programName(name), words);
  if (first === undefined) return false;
  let at = first;
  return rest
    .flatMap((word) => word.split(BETWEEN_WORDS))
    .filter((word) => word !== '')
    .every((word) => {
      // Letters of an option may come in another order or separately, so text can't prove them absent. Skip them.
      if (/^-[A-Za-z]+$/.test(word)) return true;
      at = words.tokens.indexOf(word, at + 1);
      return at >= 0;
    });
}

/** A name this long is unlikely to be part of another word by chance. */
const LONG_NAME = 4;

/** Finds it as a word, attached to an option's letters (`-Irm`), or, if it is long, as a part of any word. */
function findName(name: string, { tokens, firstOf }: Words): number | undefined {
  const exact = firstOf.get(name);
  const attached = tokens.findIndex((token) => {
    const low = token.toLowerCase();
    return (low.startsWith('-') && low.endsWith(name)) || (name.length >= LONG_NAME && low.includes(name));
  });
  if (attached < 0) return exact;
  return exact === undefined ? attached : Math.min(exact, attached);
}

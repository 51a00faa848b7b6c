/**
 * A list of names and descriptions for a model, within a budget: if it is exceeded, descriptions are dropped (EX-10).
 * Pure.
 */

import { escapeToLine } from '../../protocol/escape-controls.js';
import { neutralizeTags } from '../../protocol/tags.js';
import { oneLine } from '../../protocol/text/one-line.js';

export type ListedEntry = {
  readonly name: string;
  readonly description: string;
  /** Entries with a higher rank keep their descriptions longer. Infinity: always. */
  readonly rank: number;
  readonly nameOnly?: boolean;
};

export type FittedListing = {
  readonly lines: readonly string[];
  /** The number of dropped descriptions. */
  readonly cut: number;
};

export const LONGEST_ENTRY = 1_536;
const CHARS_PER_TOKEN = 4;

/** In characters. `env`: a number of characters that overrides it. */
export function listingBudget(options: {
  readonly contextTokens: number;
  readonly fraction: number;
  readonly env?: string | undefined;
}): number {
  const own = options.env?.trim() ?? '';
  return /^\d{1,9}$/.test(own) ? Number(own) : Math.floor(options.contextTokens * options.fraction * CHARS_PER_TOKEN);
}

/** Sorts by name, so that the same entries give the same bytes. */
export function fitListing(entries: readonly ListedEntry[], most: number): FittedListing {
  return fitInOrder([...entries].sort(byName), most);
}

/** Keeps the order of the entries. */
export function fitInOrder(entries: readonly ListedEntry[], most: number): FittedListing {
  const listed = entries.map((entry) => ({ entry, ...linesOf(entry) }));
  let length = listed.reduce((sum, { full }) => sum + full.length + 1, -1);
  const shortened = new Set<ListedEntry>();
  const lowestFirst = listed
    .filter(({ entry, full, short }) => full !== short && entry.rank !== Number.POSITIVE_INFINITY)
    .sort((a, b) => a.entry.rank - b.entry.rank || byName(b.entry, a.entry));
  for (const { entry, full, short } of lowestFirst) {
    if (length <= most) break;
    shortened.add(entry);
    length -= full.length - short.length;
  }
  return {
    lines: listed.map(({ entry, full, short }) => (shortened.has(entry) ? short : full)),
    cut: shortened.size,
  };
}

function byName(a: ListedEntry, b: ListedEntry): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  // Two entries with the same name: the input order must not matter.
  return a.description < b.description ? -1 : a.description > b.description ? 1 : 0;
}

function linesOf({ name, description, nameOnly }: ListedEntry): { readonly full: string; readonly short: string } {
  const short = `- ${inertLine(name)}`;
  const text = nameOnly === true ? '' : cut(inertLine(description), LONGEST_ENTRY - `${short}: `.length);
  return { short, full: text === '' ? short : `${short}: ${text}` };
}

/** One line without invisible characters and imitations of our tags. */
function inertLine(text: string): string {
  const line = oneLine(text.slice(0, LONGEST_ENTRY * 4));
  return neutralizeTags(!PLAIN.test(line) && UNSEEN.test(line) ? escapeToLine(line) : line);
}

/** The pattern below takes long to build, so it is avoided for plain text. */
const PLAIN = /^[ -~]*$/;

/** Without joiners of emoji and letters, which are part of ordinary text. */
const UNSEEN =
  /[\p{Cc}\p{Co}\p{Cn}\p{Cs}\u00ad\u061c\u115f\u1160\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\u{e0000}-\u{e0fff}]/u;

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const whole = text.slice(0, Math.max(0, most - 1)).replace(/[\ud800-\udbff]$/, '');
  return whole === '' ? '' : `${whole.trimEnd()}…`;
}

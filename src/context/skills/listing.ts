/** A list of names with descriptions for a model, within a budget: over it, descriptions go, names stay (EX-10). Pure. */

import { escapeToLine } from '../../protocol/escape-controls.js';
import { neutralizeTags } from '../../protocol/tags.js';

export type ListedEntry = {
  readonly name: string;
  readonly description: string;
  /** Higher: keeps its description longer. Infinity: always. */
  readonly rank: number;
  readonly nameOnly?: boolean;
};

export type FittedListing = {
  readonly lines: readonly string[];
  /** How many lost their descriptions. */
  readonly cut: number;
};

export const LONGEST_ENTRY = 1_536;
const CHARS_PER_TOKEN = 4;

/** In characters. `env`: a number of characters that wins. */
export function listingBudget(options: {
  readonly contextTokens: number;
  readonly fraction: number;
  readonly env?: string | undefined;
}): number {
  const own = options.env?.trim() ?? '';
  return /^\d{1,9}$/.test(own) ? Number(own) : Math.floor(options.contextTokens * options.fraction * CHARS_PER_TOKEN);
}

/** By name, so that the same entries make the same bytes. */
export function fitListing(entries: readonly ListedEntry[], most: number): FittedListing {
  return fitInOrder([...entries].sort(byName), most);
}

/** The lines stay in the order of the entries. */
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
  // The same name twice: the order of what is given must not show.
  return a.description < b.description ? -1 : a.description > b.description ? 1 : 0;
}

function linesOf({ name, description, nameOnly }: ListedEntry): { readonly full: string; readonly short: string } {
  const short = `- ${inertLine(name)}`;
  const said = nameOnly === true ? '' : cut(inertLine(description), LONGEST_ENTRY - `${short}: `.length);
  return { short, full: said === '' ? short : `${short}: ${said}` };
}

/** One line that reads as what it is: nothing unseen, no tag of ours. */
function inertLine(text: string): string {
  const line = oneLine(text.slice(0, LONGEST_ENTRY * 4));
  return neutralizeTags(!PLAIN.test(line) && UNSEEN.test(line) ? escapeToLine(line) : line);
}

/** Every run of white space is a single space. */
export function oneLine(text: string): string {
  return text.replace(SPACES, ' ').trim();
}

/** Every run of them but a single space, which is most of them. */
const SPACES = /[^\S ]\s*| \s+/g;

/** The pattern below takes long to build, so it is not used where it is not needed. */
const PLAIN = /^[ -~]*$/;

/** Not what joins emoji and letters: that is part of ordinary text. */
const UNSEEN =
  /[\p{Cc}\p{Co}\p{Cn}\p{Cs}\u00ad\u061c\u115f\u1160\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\u{e0000}-\u{e0fff}]/u;

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const whole = text.slice(0, Math.max(0, most - 1)).replace(/[\ud800-\udbff]$/, '');
  return whole === '' ? '' : `${whole.trimEnd()}…`;
}

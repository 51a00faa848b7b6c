/** Text on one line, and shortened to fit one. */

/** Replaces every run of white space with a single space. */
export function oneLine(text: string): string {
  return text.replace(SPACES, ' ').trim();
}

/** Matches every run except a single space, which is the most common. */
const SPACES = /[^\S ]\s*| \s+/g;

/** Cuts to at most `most` characters, the ellipsis included. */
export function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

/** `a, b and 3 more`. */
export function joinSome(names: readonly string[], most: number): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

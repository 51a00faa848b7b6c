/** Limits of comparing two texts by lines. Its time is quadratic in their differences, and it blocks the session. */

/** For the diff library, which gives up beyond it. */
export const MOST_EDITS = 1_500;
const MOST_CHARS = 2_000_000;

/** False: splitting them into lines would take too long already. */
export function areComparable(before: string, after: string): boolean {
  return before.length + after.length <= MOST_CHARS;
}

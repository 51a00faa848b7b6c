/** How long ago something was, in a word or two. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function describeAge(ms: number): string {
  if (!Number.isFinite(ms)) return 'age unknown';
  if (ms < MINUTE_MS) return 'just now';
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} h ago` : `${Math.floor(ms / DAY_MS)} days ago`;
}

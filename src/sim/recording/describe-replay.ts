/** What is wrong with a replay that has ended, for a person. */

import type { ReplayStatus } from './traffic-replay.js';

/** Undefined: nothing is. */
export function describeReplay({ recorded, difference, missing }: ReplayStatus): string | undefined {
  if (difference !== undefined) return difference;
  if (missing.length === 0) return undefined;
  const were = missing.length === 1 ? 'was' : 'were';
  return `${missing.length} of ${recorded} recorded requests ${were} not made; the first of them: ${missing[0]}`;
}

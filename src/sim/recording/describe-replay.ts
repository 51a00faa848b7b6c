/** Describes what is wrong with a finished replay, for people. */

import type { ReplayStatus } from './traffic-replay.js';

/** Undefined if nothing is wrong. */
export function describeReplay({ recorded, difference, missing }: ReplayStatus): string | undefined {
  if (difference !== undefined) return difference;
  if (missing.length === 0) return undefined;
  const were = missing.length === 1 ? 'was' : 'were';
  return `${missing.length} of ${recorded} recorded requests ${were} not made; the first of them: ${missing[0]}`;
}

/** Avoids reading hundreds of files twice at a start: once to load them, and again before the first prompt. */

import type { Clock } from '../../host/clock.js';

const JUST_MS = 300;

/**
 * Treats files that were loaded a moment ago as unchanged, once, unless a quick check shows otherwise. A change that it
 * misses is noticed by the next check.
 */
export function throttleReload(
  clock: Clock,
  haveChanged: () => Promise<boolean>,
  haveMoved: () => Promise<boolean> = async () => false,
): () => Promise<boolean> {
  const loaded = clock.elapsed();
  let isFirst = true;
  return async () => {
    const isJust = isFirst && clock.elapsed() - loaded < JUST_MS && !(await haveMoved());
    isFirst = false;
    return isJust ? false : haveChanged();
  };
}

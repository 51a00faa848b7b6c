/** A start would look at hundreds of files twice: once to load them, and again before the first words. */

import type { Clock } from '../../host/clock.js';

const JUST_MS = 300;

/** What was loaded a moment ago counts as unchanged, once. A change in that moment is noticed by the next look. */
export function unlessJustLoaded(clock: Clock, haveChanged: () => Promise<boolean>): () => Promise<boolean> {
  const loaded = clock.elapsed();
  let isFirst = true;
  return async () => {
    const isJust = isFirst && clock.elapsed() - loaded < JUST_MS;
    isFirst = false;
    return isJust ? false : haveChanged();
  };
}

/** A start would look at hundreds of files twice: once to load them, and again before the first words. */

import type { Clock } from '../../host/clock.js';

const JUST_MS = 300;

/**
 * What was loaded a moment ago counts as unchanged, once, unless a short look says otherwise. A change in that moment that
 * it does not see is noticed by the next look.
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

/** Seeded choices from lists. */

import { createRandom } from '../torture/random.mjs';

export function createChoices(seed) {
  const random = createRandom(seed);
  return {
    ...random,
    pick: (list) => list[random.whole(0, list.length - 1)],
    /** `[weight, value]` pairs. */
    weigh: (pairs) => {
      let left = random.next() * pairs.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of pairs) {
        left -= weight;
        if (left < 0) return value;
      }
      return pairs.at(-1)[1];
    },
  };
}

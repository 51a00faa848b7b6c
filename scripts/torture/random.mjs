/** Seeded random numbers, so that the choices of a run can be repeated. */

export function createRandom(seed) {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    seed,
    /** From 0 up to, but not including, 1. */
    next,
    /** A whole number from `least` to `most`, both included. */
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (share) => next() < share,
    /** One of `[thing, weight]` pairs. */
    pick: (weighted) => {
      let left = next() * weighted.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [thing, weight] of weighted) {
        left -= weight;
        if (left < 0) return thing;
      }
      return weighted[0][0];
    },
  };
}

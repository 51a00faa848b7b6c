import { defineConfig } from 'vitest/config';

/** The tiers are folders of test/; scripts in package.json choose them. One project, so that all share processes and modules. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/no-spin.ts'],
    // Only ends what hangs: nothing is asserted by a time.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    pool: 'forks',
    // One more than the cores of a small machine: many tests wait for a program.
    maxWorkers: 3,
    env: { FC_SEED: chooseSeed() },
    // One process runs many test files: modules keep no state that could pass from one to another.
    isolate: false,
  },
});

/**
 * The seed of the property tests (test/support/fast-check.ts): one for the whole run, and the same from run to run, so
 * that a red run speaks of the change. FC_SEED=random takes a fresh one, printed here, and any is printed by a failure.
 */
function chooseSeed(): string {
  const { FC_SEED } = process.env;
  if (FC_SEED !== 'random') return FC_SEED ?? '20261115';
  const seed = String(Math.floor(Math.random() * 2 ** 31));
  console.log(`Property tests: repeat this run with FC_SEED=${seed}`);
  // The configuration may be read more than once.
  process.env.FC_SEED = seed;
  return seed;
}

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    hookTimeout: 90_000,
    pool: 'forks',
    maxWorkers: 2,
    env: { FC_SEED: chooseSeed() },
    // One process runs many test files: modules keep no state that could pass from one to another.
    isolate: false,
    projects: ['unit', 'story', 'program', 'long'].map((name) => ({
      extends: true,
      test: {
        name,
        include: [`test/${name}/**/*.test.ts`],
        // Only ends what hangs: nothing is asserted by a time.
        testTimeout: name === 'long' ? 300_000 : 90_000,
      },
    })),
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
  // The configuration is read once more for each project.
  process.env.FC_SEED = seed;
  return seed;
}

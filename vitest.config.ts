import { defineConfig } from 'vitest/config';

/** Not in `npm run test:quick`: the real program, a terminal, kills, a sandbox, and properties that try many cases. */
const SLOW = [
  'test/program/**/*.test.ts',
  // The plain story of each topic is quick; those with a second word in the name go deeper.
  'test/story/*/*-*.test.ts',
  'test/story/gate/{hooks,hostile,sandbox}.test.ts',
  'test/story/{budget-tree,compaction,faults,forty-turns,too-large,wrong-address}.test.ts',
  'test/unit/agents/notices/*.test.ts',
  'test/unit/config/definitions/messy-files.test.ts',
  'test/unit/context/memory/snapshots/{kills,merge,never-lost,processes}.test.ts',
  'test/unit/gate/sandbox/*.test.ts',
  'test/unit/gate/memory/{at-once,corpus,layouts,modes,swaps}.test.ts',
  'test/story/memory/boundary.test.ts',
  'test/unit/gate/worktrees/sandbox.test.ts',
  'test/unit/gate/everyday/same-answer.test.ts',
  'test/unit/gate/box/{box,lifetime,masks,probe,traps}.test.ts',
  'test/unit/gate/hooks/hooks.test.ts',
  'test/unit/gate/permissions/{differential,properties,shown}.test.ts',
  'test/unit/host/locks/lock.test.ts',
  'test/unit/host/worktrees/**/*.test.ts',
  'test/unit/session/{memory,checkpoint/*,store/recent-sessions,state/restore,transcript/cuts,transcript/faults}.test.ts',
  'test/unit/front/tui/screen/{life,streaming,tmux}.test.ts',
  'test/unit/tools/bash/*.test.ts',
  'test/unit/tools/edit/held-folder.test.ts',
];
const ALL = ['test/**/*.test.ts'];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    env: { FC_SEED: chooseSeed() },
    projects: [
      // One process runs many test files: modules keep no state that could pass from one to another.
      { extends: true, test: { name: 'quick', include: ALL, exclude: SLOW, isolate: false } },
      { extends: true, test: { name: 'slow', include: SLOW } },
    ],
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

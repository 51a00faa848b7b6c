/** The features of a session, in their fixed order. They are closed in the reverse order. */

import type { Feature } from '../agents/feature.js';
import type { Runtime } from '../agents/runtime.js';
import type { Ports } from '../loop/ports.js';
import type { FeatureCommands } from './feature-commands.js';
import { MEMORY_COMMANDS, type MemoryResults } from './memory/commands.js';
import { memoryFeature } from './memory/memory-feature.js';
import { WORKTREE_COMMANDS, type WorktreeResults } from './worktrees/commands.js';
import { worktreesFeature } from './worktrees/worktrees-feature.js';

export type OpenedFeatures = {
  readonly features: readonly Feature[];
  /** What agents need from them. */
  readonly runtime: Pick<Runtime, 'worktrees'>;
  /** What the loop needs from them. */
  readonly ports: Pick<Ports, 'memory'>;
};

/** `runtime` is called when a feature is used, never while it is opened. */
export function openFeatures(runtime: () => Runtime): OpenedFeatures {
  const trees = worktreesFeature(runtime);
  const memory = memoryFeature(runtime);
  return {
    features: [trees, memory],
    runtime: { worktrees: trees.worktrees },
    ports: { memory: memory.port },
  };
}

/** The results of features' commands. */
export type FeatureResults = MemoryResults & WorktreeResults;

export const FEATURE_COMMANDS: FeatureCommands<FeatureResults> = { ...MEMORY_COMMANDS, ...WORKTREE_COMMANDS };

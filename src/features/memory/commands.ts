/** The memory commands of a session, subject to its trust and agent files. */

import type { Runtime } from '../../agents/runtime.js';
import type { MemoryDifference } from '../../context/memory/snapshots/memory-difference.js';
import type { MemoryDone } from '../../context/memory/snapshots/memory-lock.js';
import type { CommandOf } from '../../protocol/commands.js';
import type { Result } from '../../protocol/result.js';
import type { FeatureCommands } from '../feature-commands.js';
import type { MemoryList } from './list-memory.js';
import type { MemoryBackups, OfMemory } from './memory.js';
import type { ShownMemory } from './show-memory.js';

export type MemoryResults = {
  readonly memory: Result<MemoryList>;
  readonly 'show-memory': OfMemory<ShownMemory>;
  readonly 'diff-memory': OfMemory<MemoryDifference>;
  readonly 'memory-backups': OfMemory<MemoryBackups>;
  readonly 'change-memory': OfMemory<MemoryDone>;
};

export const MEMORY_COMMANDS: FeatureCommands<MemoryResults> = {
  memory: async (runtime) => ({ ok: true, ...(await (await loadMemory(runtime)).list()) }),
  'show-memory': async (runtime, { memory, ...options }) => (await loadMemory(runtime)).show(memory, options),
  'diff-memory': async (runtime, { memory, scope }) => (await loadMemory(runtime)).diff(memory, { scope }),
  'memory-backups': async (runtime, { memory, scope }) => (await loadMemory(runtime)).backups(memory, { scope }),
  'change-memory': changeMemory,
};

/** Loaded on first use, so that a session that never uses memory pays nothing. */
async function loadMemory({ host, projectRoot, worktree, trusted, catalog }: Runtime) {
  const [{ createMemory }, { memoryRoot }] = await Promise.all([import('./memory.js'), import('./memory-location.js')]);
  const root = await memoryRoot(host, projectRoot, worktree);
  return createMemory({ host, root, project: projectRoot, trusted, definitions: catalog.list(), warnings: [] });
}

async function changeMemory(
  runtime: Runtime,
  { memory: name, how, scope, force, to }: CommandOf<'change-memory'>,
): Promise<MemoryResults['change-memory']> {
  const memory = await loadMemory(runtime);
  switch (how) {
    case 'take':
    case 'merge':
    case 'decline':
      return memory[how](name, { scope });
    case 'publish':
      return memory.publish(name, { scope, force });
    case 'roll-back':
      return memory.rollBack(name, { scope, to });
    default:
      how satisfies never;
      return { ok: false, reason: `memory can't be changed by ${JSON.stringify(how)}` };
  }
}

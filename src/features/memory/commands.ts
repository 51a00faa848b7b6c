/** `memory`, `show-memory`, `diff-memory` and `change-memory`: that of the session's agents, as its trust and files say. */

import type { Runtime } from '../../agents/runtime.js';
import type { CommandOf } from '../../protocol/commands.js';
import type { CommandResults } from '../../engine/commands/command-results.js';

/** Loaded when it is first asked for: a session that never asks pays nothing. */
export async function loadMemory({ host, projectRoot, worktree, trusted, catalog }: Runtime) {
  const [{ createMemory }, { memoryRoot }] = await Promise.all([
    import('./memory.js'),
    import('./memory-location.js'),
  ]);
  const root = await memoryRoot(host, projectRoot, worktree);
  return createMemory({ host, root, project: projectRoot, trusted, definitions: catalog.list(), warnings: [] });
}

export async function changeMemory(
  runtime: Runtime,
  { memory: name, how, scope, force, to }: CommandOf<'change-memory'>,
): Promise<CommandResults['change-memory']> {
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

/** The memory of a folder's agents for library users, without a session. */

import type { MemoryOptions } from '../../engine/open/folder-memory.js';
import type { Memory } from '../../features/memory/memory.js';
import { CoppiceError } from './open-session.js';

/** Rejects with a CoppiceError if the folder or its settings can't be read; after that, failures are results. */
export async function openMemory(options: MemoryOptions = {}): Promise<Memory> {
  // Loaded on demand: most programs only open sessions.
  const { openFolderMemory } = await import('../../engine/open/folder-memory.js');
  const opened = await openFolderMemory(options);
  if (!opened.ok) throw new CoppiceError(opened);
  return opened.memory;
}

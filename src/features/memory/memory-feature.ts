/** Memory in a session: gives agents their notes at the start, announces changes, and serialises writes. */

import { join } from 'node:path';
import type { Feature } from '../../agents/feature.js';
import type { LiveAgent } from '../../agents/live-agent.js';
import type { Runtime } from '../../agents/runtime.js';
import type { MemoryPort } from '../../loop/ports.js';
import { MEMORY_FILE, MEMORY_TOPIC } from '../../protocol/agent-spawned.js';
import { text } from '../../protocol/blocks.js';
import { reminder } from '../../protocol/tags.js';
import { announcedTo } from '../../session/state/agent-state.js';
import type { SessionMemory } from './session-memory.js';

/** Loads nothing before the first agent with a memory. */
export function memoryFeature(runtime: () => Runtime): Feature & { readonly port: MemoryPort } {
  let opening: Promise<SessionMemory> | undefined;
  const opened = () => (opening ??= openMemory(runtime()));
  return {
    name: 'the memory of agents',
    equip: async (request) => {
      if (request.definition.memory === undefined) return undefined;
      const { catalog, tools: all } = runtime();
      const known = catalog.list().map(({ name }) => name);
      return (await opened()).equip({ ...request, known, all });
    },
    refresh: (agent) => announceMemory(opened, agent),
    port: {
      prepared: async (folder) => (await opening)?.prepared(folder),
      withLock: async (memory, work) => (await opened()).inTurn(memory, work),
    },
    close: async () => (await opening)?.close(),
  };
}

async function openMemory({
  host,
  projectRoot,
  worktree,
  trusted,
  trustsThisRun,
  ports,
}: Runtime): Promise<SessionMemory> {
  const [memory, { memoryRoot }] = await Promise.all([import('./session-memory.js'), import('./memory-location.js')]);
  const root = await memoryRoot(host, projectRoot, worktree);
  return new memory.SessionMemory({ host, root, trusted, trustsThisRun, gate: ports.gate });
}

/** Announces changes in its notes to an agent that continues. Its prompt stays as it is (ME-9). */
async function announceMemory(opened: () => Promise<SessionMemory>, agent: LiveAgent): Promise<void> {
  const { memory } = agent.record;
  const announced = announcedTo(agent.state)[MEMORY_TOPIC];
  if (memory === undefined || announced === undefined) return;
  const { hash, changed, version } = await (await opened()).read(memory);
  if (hash === announced) return;
  // It already knows what it wrote or read itself.
  const known = agent.files.get(join(memory.folder, MEMORY_FILE));
  if (known !== undefined && known.mtimeMs === version?.mtimeMs && known.size === version.size) return;
  const key = `memory after ${agent.state.lastSeq}`;
  await agent.inbox.admit({ origin: 'reminder', key, announcements: { [MEMORY_TOPIC]: hash } }, [
    text(reminder(changed)),
  ]);
}

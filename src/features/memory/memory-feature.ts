/** An agent that goes on is told what has changed in its notes. Its prompt stays as it is (ME-9). */

import { join } from 'node:path';
import { MEMORY_FILE } from '../../protocol/agent-spawned.js';
import { text } from '../../protocol/blocks.js';
import { reminder } from '../../protocol/tags.js';
import { toldOf } from '../../session/state/agent-state.js';
import type { LiveAgent } from '../../agents/live-agent.js';
import type { Runtime } from '../../agents/runtime.js';

/** The topic of what an agent was told of its notes. */
export const MEMORY_TOPIC = 'memory';

export async function announceMemory({ memory: remembered }: Runtime, agent: LiveAgent): Promise<void> {
  const { memory } = agent.record;
  const told = toldOf(agent.state)[MEMORY_TOPIC];
  if (memory === undefined || told === undefined) return;
  const { hash, changed, version } = await remembered.read(memory);
  if (hash === told) return;
  // What it wrote or read itself it knows.
  const known = agent.files.get(join(memory.folder, MEMORY_FILE));
  if (known !== undefined && known.mtimeMs === version?.mtimeMs && known.size === version.size) return;
  const key = `memory after ${agent.state.lastSeq}`;
  await agent.inbox.admit({ origin: 'reminder', key, tells: { [MEMORY_TOPIC]: hash } }, [text(reminder(changed))]);
}

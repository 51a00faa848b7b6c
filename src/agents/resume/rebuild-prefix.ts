/** The prompt and tools of an agent from today's state, for when the stored ones can't be read. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { Prefix } from '../../model/prefix.js';
import { text } from '../../protocol/blocks.js';
import { decode, freezeBlock } from '../../protocol/frozen-block.js';
import type { AgentSpawned } from '../../session/state/restored.js';
import { FORK_TYPE } from '../catalog/agent-type.js';
import type { Member } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import { prefixFor, replyLimit } from '../start/create-agent.js';
import { EMPTY_PROMPT } from '../start/spawn.js';

export function rebuildPrefix(runtime: Runtime, spawned: AgentSpawned, parent: Member): Prefix | undefined {
  if (spawned.type === FORK_TYPE) return parent.agent.conversation.prefix;
  const definition = runtime.catalog.find(spawned.type);
  if (definition === undefined) return undefined;
  const names = new Set(spawned.tools);
  return prefixFor(runtime, {
    model: spawned.model,
    thinks: definition.effort !== undefined || runtime.settings.childrenThink,
    effort: definition.effort,
    maxTokens: replyLimit(runtime, spawned.model, runtime.budget),
    tools: runtime.tools.filter((tool) => names.has(tool.name)),
    system: systemOf(definition),
  });
}

/** The system prompt today's definition gives, as bytes. */
export function rebuiltSystem(definition: Pick<AgentDefinition, 'prompt'>): string {
  return systemOf(definition)
    .map((words) => decode(freezeBlock(text(words)).bytes))
    .join('');
}

function systemOf({ prompt }: Pick<AgentDefinition, 'prompt'>): string[] {
  return [prompt.trim() === '' ? EMPTY_PROMPT : prompt];
}

/** Why an agent of a definition can't be started in this version, if that is so. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import type { Tool } from '../../tools/tool.js';
import { assemblePool } from './tool-pool.js';

type Wishes = Pick<AgentDefinition, 'skills' | 'mcpServers' | 'requiredMcpServers'>;

/** The fields whose feature is not there yet. An empty list of servers asks for none, and there is none. */
export function fieldsNotYet({ skills, mcpServers, requiredMcpServers }: Wishes): readonly string[] {
  return [
    ...(skills.length === 0 ? [] : ['skills']),
    ...(mcpServers === undefined || mcpServers.length === 0 ? [] : ['mcpServers']),
    ...(requiredMcpServers.length === 0 ? [] : ['requiredMcpServers']),
  ];
}

/** For people. `all`: the tools of a session. */
export function whyNotStarted(definition: AgentDefinition, all: readonly Tool[]): string | undefined {
  const later = fieldsNotYet(definition);
  if (later.length > 0) return `not yet there in this version: ${later.join(', ')}`;
  const pool = assemblePool({ all, definition, depth: 1, maxDepth: Number.POSITIVE_INFINITY });
  return pool.ok ? undefined : pool.reason;
}

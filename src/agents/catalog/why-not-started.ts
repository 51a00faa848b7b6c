/** Why an agent of a definition can't be started in this version, if that is so. */

import type { AgentDefinition } from '../../config/definitions/agent-definition.js';

type Wishes = Pick<AgentDefinition, 'isolation' | 'memory' | 'skills' | 'mcpServers' | 'requiredMcpServers'>;

/** The fields whose feature is not there yet. An empty list of servers asks for none, and there is none. */
export function fieldsNotYet({ isolation, memory, skills, mcpServers, requiredMcpServers }: Wishes): readonly string[] {
  return [
    ...(isolation === undefined ? [] : ['isolation: worktree']),
    ...(memory === undefined ? [] : ['memory']),
    ...(skills.length === 0 ? [] : ['skills']),
    ...(mcpServers === undefined || mcpServers.length === 0 ? [] : ['mcpServers']),
    ...(requiredMcpServers.length === 0 ? [] : ['requiredMcpServers']),
  ];
}

/** A definition for tests, complete with defaults. */

import type { AgentDefinition } from '../../../../src/config/definitions/agent-definition.js';

export function definition(given: Partial<AgentDefinition> & { readonly name: string }): AgentDefinition {
  return {
    description: `when to use ${given.name}`,
    tools: 'all',
    disallowedTools: [],
    model: 'inherit',
    maxTurns: 200,
    skills: [],
    requiredMcpServers: [],
    background: false,
    omitClaudeMd: false,
    oneShot: false,
    prompt: `You are ${given.name}.`,
    source: { scope: 'project', file: `/p/.claude/agents/${given.name}.md`, trusted: true },
    ...given,
  };
}

/** The first record of a child's transcript. */

import type { AgentSpawned, ForkReference } from '../../../src/protocol/events.js';

export function spawned(agent: string, fork?: ForkReference): AgentSpawned {
  return {
    kind: 'agent-spawned',
    agent,
    type: 'general-purpose',
    description: 'd',
    parent: 'main',
    call: 'toolu_1',
    depth: 1,
    origin: 'agent:builtin:general-purpose',
    model: 'claude-opus-5-5',
    mode: 'default',
    readOnly: false,
    background: true,
    oneShot: false,
    maxTurns: 10,
    cwd: '/project',
    tools: ['Bash'],
    ...(fork ? { fork } : {}),
  };
}

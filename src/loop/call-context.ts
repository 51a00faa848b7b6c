/** What a tool may use during one call of one agent. */

import type { KeptCommand, ToolContext } from '../tools/tool.js';
import type { Run } from './run.js';

export function callContext({ agent, ports, signal }: Run, callId: string): ToolContext {
  return {
    host: agent.host,
    signal,
    callId,
    agentId: agent.id,
    files: agent.files,
    shell: agent.shell,
    roots: agent.roots,
    todos: agent.todos,
    keepOutput: (name, content) => ports.keepOutput(name, content),
    outputPath: (name) => ports.outputPath(name),
    ...(ports.keepRunning
      ? { keepRunning: (command: KeptCommand) => ports.keepRunning?.(agent, callId, command) ?? '' }
      : {}),
    progress: (line) => void agent.emit({ kind: 'call-progressed', call: callId, line }),
  };
}

/** What a tool may use during one call of one agent. */

import type { ProcessCommand } from '../host/processes.js';
import type { ConfineOptions, KeptCommand, ToolContext } from '../tools/tool.js';
import type { Run } from './run.js';

export function callContext(
  { agent, ports, signal }: Run,
  callId: string,
  judged: ReadonlyMap<string, string>,
): ToolContext {
  const mayRead = ports.gate.mayRead(agent);
  const keepRunning = ports.keepRunning?.bind(ports);
  return {
    host: agent.host,
    signal,
    callId,
    agentId: agent.id,
    judged,
    ...(mayRead ? { mayRead } : {}),
    ...(ports.confine
      ? {
          confine: (command: ProcessCommand, wish: ConfineOptions) =>
            ports.confine?.(agent, command, wish) ?? Promise.resolve({ ok: false as const, reason: 'no sandbox' }),
        }
      : {}),
    files: agent.files,
    shell: agent.shell,
    roots: agent.roots,
    todos: agent.todos,
    keepOutput: (name, content) => ports.keepOutput(name, content),
    outputPath: (name) => ports.outputPath(name),
    ...(keepRunning ? { keepRunning: (command: KeptCommand) => keepRunning(agent, callId, command) } : {}),
    progress: (line) => void agent.emit({ kind: 'call-progressed', call: callId, line }),
  };
}

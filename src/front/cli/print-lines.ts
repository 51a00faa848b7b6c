/** A session as lines of JSON on stdout: what it is, then everything that happens. */

import type { Session } from '../../engine/session.js';
import { streamJson } from '../view/stream-json.js';
import { taskLines } from '../view/task-lines.js';
import type { Flags } from './flags.js';

export function printLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

export function printSession(session: Session, flags: Flags): void {
  printLine({
    type: 'system',
    subtype: 'init',
    cwd: session.cwd,
    session_id: session.id,
    tools: session.tools.map((tool) => tool.name),
    mcp_servers: [],
    model: session.model,
    permissionMode: session.mode,
    uuid: crypto.randomUUID(),
  });
  const calls = new Map<string, string>();
  const toLine = streamJson({
    session: session.id,
    newId: () => crypto.randomUUID(),
    partial: flags.includePartialMessages === true,
    parentCall: (agent) => calls.get(agent) ?? null,
  });
  const toTaskLine = taskLines();
  session.watch((watched) => {
    const { event } = watched;
    if (event.kind === 'agent-spawned' || event.kind === 'agent-resumed') calls.set(event.agent, event.call);
    const line = toLine(watched);
    if (line) printLine(line);
    const task = toTaskLine(watched);
    if (task) printLine({ ...task, session_id: session.id, uuid: crypto.randomUUID() });
  });
}

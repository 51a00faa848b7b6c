/** Prints a session as JSON lines on stdout: its description, then every event. */

import { newRandomId } from '../../host/node-host.js';
import type { Session } from '../sdk/session.js';
import type { SessionView } from '../view/session-view.js';
import { streamJson } from '../view/stream-json.js';
import { taskLine, taskProgress } from '../view/task-line.js';
import type { Flags } from './flags.js';
import { followSession, type Show } from './follow-session.js';

export function printLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Returns the view the lines are made from. */
export function printSession(session: Session, flags: Flags): SessionView {
  printLine({
    type: 'system',
    subtype: 'init',
    cwd: session.cwd,
    session_id: session.id,
    tools: session.tools.map((tool) => tool.name),
    mcp_servers: [],
    model: session.model,
    permissionMode: session.mode,
    uuid: newRandomId(),
  });
  const options = { session: session.id, newId: newRandomId, partial: flags.includePartialMessages === true };
  const printTask = (task: object | undefined) => {
    if (task) printLine({ ...task, session_id: session.id, uuid: newRandomId() });
  };
  const show: Show = (view, sessionEvent) => {
    const line = streamJson(view, sessionEvent, options);
    if (line) printLine(line);
    printTask(taskLine(view, sessionEvent));
  };
  return followSession(session, show, (view, sessionEvent, now) => {
    printTask(taskProgress(view, sessionEvent, { now, models: session.models, session: session.id }));
  });
}

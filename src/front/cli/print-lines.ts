/** Prints a session as JSON lines on stdout: its description, then every event. */

import { newRandomId } from '../../host/node-host.js';
import type { ServerReport } from '../../protocol/mcp/server-report.js';
import type { Session } from '../sdk/session.js';
import { SERVER_STATUS } from '../view/server-status.js';
import type { SessionView } from '../view/session-view.js';
import { streamJson } from '../view/stream-json.js';
import { taskLine, taskProgress } from '../view/task-line.js';
import type { Flags } from './flags.js';
import { followSession, type Show } from './follow-session.js';

function isSkipped({ status }: ServerReport): boolean {
  return status === 'skipped' || status === 'blocked' || status === 'not-approved';
}

function errorOf({ name, scope, reason = '' }: ServerReport): object {
  return { name, scope, error: reason };
}

export function printLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Returns the view the lines are made from. */
export function printSession(session: Session, flags: Flags): SessionView {
  const servers = session.serverReports();
  printLine({
    type: 'system',
    subtype: 'init',
    cwd: session.cwd,
    session_id: session.id,
    tools: session.tools.map((tool) => tool.name),
    mcp_servers: servers.map(({ name, status }) => ({ name, status: SERVER_STATUS[status] })),
    ...(servers.some(isSkipped) ? { mcp_server_errors: servers.filter(isSkipped).map(errorOf) } : {}),
    model: session.model,
    permissionMode: session.mode,
    output_style: session.outputStyle,
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

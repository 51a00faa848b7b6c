/** `coppice sessions`: lists sessions, shows one in detail, or deletes one. Listing reads no transcript whole. */

import { coppiceHome, projectKey, sessionLayout } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import { escapeControls } from '../../../protocol/escape-controls.js';
import { localTime, plural } from '../../../protocol/format-numbers.js';
import { repairHistory } from '../../../session/repair/repair-history.js';
import { readAgentLogs } from '../../../session/state/agent-log.js';
import { readState } from '../../../session/state/read-state.js';
import { deleteSession } from '../../../session/store/delete-session.js';
import { listSessions } from '../../../session/store/list-sessions.js';
import type { SessionSummary } from '../../../session/store/summarize-session.js';
import { describeTopic } from '../../view/describe/describe-topic.js';
import { EXIT, usageError } from '../exit-code.js';
import { findSession } from '../find-session.js';

export type SessionsFlags = { readonly json?: boolean; readonly all?: boolean };

export async function runSessionsList(flags: SessionsFlags): Promise<number> {
  const host = await hereHost();
  const here = flags.all ? {} : { project: projectKey(host.folder) };
  const { sessions, problems } = await listSessions(host, { home: coppiceHome(host.env), ...here });
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (flags.json) return print(JSON.stringify(sessions, null, 2));
  if (sessions.length === 0) {
    return print(flags.all ? 'No sessions.' : 'No sessions in this folder (--all lists all folders).');
  }
  return print(sessions.map((session) => formatSession(session, flags.all === true)).join('\n'));
}

export async function runSessionsShow(id: string, flags: SessionsFlags): Promise<number> {
  const host = await hereHost();
  const found = await findSession(host, id);
  if (typeof found === 'string') return usageError(found);
  const layout = sessionLayout(coppiceHome(host.env), found.project, found.id);
  const read = await readState(host.files, layout.file);
  if (read.kind !== 'read')
    return usageError(read.kind === 'missing' ? `${layout.file} no longer exists` : read.reason);
  const { state, damage } = read;
  const repair = repairHistory(state);
  const logs = await readAgentLogs(host.files, layout);
  const agents = logs.agents.map(({ agent, spawned, status }) => ({
    id: agent,
    type: spawned.type,
    state: status,
    description: spawned.description,
  }));
  const report = {
    ...found,
    records: read.records,
    messages: state.history.length,
    mode: state.mode,
    usage: state.usage,
    agents,
    damage: [...damage.told, ...logs.setAside.map(({ path, reason }) => `${path}: ${reason}`)],
    /** What resuming would repair. Showing a session changes nothing. */
    repairs: repair.repairs,
  };
  if (flags.json) return print(JSON.stringify(report, null, 2));
  return print(
    [
      formatSession(found, true),
      `  ${plural(report.records, 'record')}, ${plural(report.messages, 'message')}, mode ${report.mode}`,
      ...agents.map(
        (agent) => `  agent ${agent.id} (${agent.type}): ${agent.state}, ${escapeControls(agent.description)}`,
      ),
      ...report.damage.map((line) => `  damaged: ${line}`),
      ...report.repairs.map((line) => `  would be repaired: ${line}`),
      `  ${layout.file}`,
    ].join('\n'),
  );
}

export async function runSessionsDelete(id: string): Promise<number> {
  const host = await hereHost();
  const found = await findSession(host, id);
  if (typeof found === 'string') return usageError(found);
  const deleted = await deleteSession(host, sessionLayout(coppiceHome(host.env), found.project, found.id));
  return deleted.ok ? print(`Deleted ${found.id}.`) : usageError(deleted.reason);
}

function formatSession(session: SessionSummary, withFolder: boolean): string {
  const when = session.lastActive === 0 ? 'unknown time   ' : localTime(session.lastActive);
  const state = session.inUse ? 'in use' : (session.ended ?? 'cut off');
  const agents = session.agents > 0 ? `, ${plural(session.agents, 'agent')}` : '';
  const topic = describeTopic(session);
  const damaged = session.damaged === undefined ? '' : ` [damaged: ${session.damaged}]`;
  return `${session.id}  ${when}  ${state}${agents}  ${topic}${withFolder ? `  (${session.cwd})` : ''}${damaged}`;
}

async function hereHost(): Promise<Host> {
  const host = nodeHost(process.cwd());
  return host.at(await host.files.realpath(host.folder));
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return EXIT.done;
}

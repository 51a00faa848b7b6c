/** The hand-off check: a command of the person's own that reads a finished child's transcript for unsafe actions. */

import type { Crew } from './crew.js';
import type { Member } from './member.js';

const TIMEOUT_MS = 120_000;
const MAX_WARNING = 2_000;

/** What the check has to say; undefined when it is not set, or content. */
export async function handOffWarning(crew: Crew, member: Member): Promise<string | undefined> {
  const command = crew.rules.handoffCheck;
  if (command === undefined || command.trim() === '') return undefined;
  const input = JSON.stringify({
    session_id: crew.session,
    agent_id: member.agent.id,
    agent_type: member.agent.type,
    transcript_path: crew.places.agentFile(member.agent.id),
    cwd: member.agent.host.folder,
  });
  const end = await crew.host.processes.run({
    file: '/bin/sh',
    args: ['-c', command],
    cwd: crew.host.folder,
    env: crew.host.env,
    input,
    timeoutMs: TIMEOUT_MS,
    maxBytes: 64 * 1024,
  });
  const said = end.stdout.toString('utf8').trim();
  if (end.code === 0) return said === '' ? undefined : said.slice(0, MAX_WARNING);
  const why = end.timedOut ? 'it took too long' : (end.error?.message ?? `exit ${end.code ?? end.signal}`);
  // A check that can't speak is no clean bill.
  return `the check itself failed (${why})${said === '' ? '' : `: ${said.slice(0, MAX_WARNING)}`}`;
}

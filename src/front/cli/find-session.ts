/** Finds a session by id, by the beginning of an id, or `latest` for the newest of this folder. */

import { coppiceHome, isFileName, projectKey } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import { listSessions, type SessionSummary } from '../../session/store/list-sessions.js';

/** Returns the reason as a string if none is found. */
export async function findSession(host: Host, wanted: string): Promise<SessionSummary | string> {
  const home = coppiceHome(host.env);
  if (wanted === 'latest') {
    const { sessions } = await listSessions(host, { home, project: projectKey(host.folder) });
    return sessions[0] ?? 'there are no sessions in this folder; coppice sessions --all lists all folders';
  }
  if (!isFileName(wanted)) return `${JSON.stringify(wanted)} is not a session id`;
  const { sessions } = await listSessions(host, { home });
  const matches = sessions.filter((session) => session.id.startsWith(wanted));
  const [only] = matches;
  if (only === undefined) return `there is no session ${wanted}; coppice sessions --all lists them`;
  return (
    matches.find((session) => session.id === wanted) ??
    (matches.length === 1 ? only : `${matches.length} sessions begin with ${wanted}; give more characters`)
  );
}

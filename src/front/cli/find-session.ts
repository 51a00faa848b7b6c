/** The session a person means: an id, enough of its beginning, or `latest` for the newest of this folder. */

import { coppiceHome, isFileName, projectKey } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import { listSessions, type SessionSummary } from '../../session/store/list-sessions.js';

/** A text is why there is none. */
export async function findSession(host: Host, wanted: string): Promise<SessionSummary | string> {
  const home = coppiceHome(host.env);
  if (wanted === 'latest') {
    const { sessions } = await listSessions(host, { home, project: projectKey(host.folder) });
    return sessions[0] ?? 'there are no sessions of this folder; coppice sessions --all lists those of others';
  }
  if (!isFileName(wanted)) return `${JSON.stringify(wanted)} is no session id`;
  const { sessions } = await listSessions(host, { home });
  const matches = sessions.filter((session) => session.id.startsWith(wanted));
  const [only] = matches;
  if (only === undefined) return `there is no session ${wanted}; coppice sessions --all lists them`;
  return (
    matches.find((session) => session.id === wanted) ??
    (matches.length === 1 ? only : `${matches.length} sessions begin with ${wanted}; give more of it`)
  );
}

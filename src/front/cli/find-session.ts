/** Finds a session by id or id prefix, or `latest` for the newest of this folder. */

import { coppiceHome, isFileName, projectKey } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import { nameSessions, newestSessions } from '../../session/store/list-sessions.js';
import { type SessionSummary, summarizeSession } from '../../session/store/summarize-session.js';

/** Returns the reason as a string if none is found. */
export async function findSession(host: Host, wanted: string): Promise<SessionSummary | string> {
  const home = coppiceHome(host.env);
  if (wanted === 'latest') {
    for await (const newest of newestSessions(host, home, projectKey(host.folder))) return newest;
    return 'no sessions in this folder; coppice sessions --all lists all folders';
  }
  if (!isFileName(wanted)) return `${JSON.stringify(wanted)} is not a session id`;
  const { found } = await nameSessions(host.files, { home });
  const matches = found.filter(({ id }) => id.startsWith(wanted));
  const [only] = matches;
  if (only === undefined) return `no session ${wanted}; coppice sessions --all lists all sessions`;
  const match = matches.find(({ id }) => id === wanted) ?? (matches.length === 1 ? only : undefined);
  if (match === undefined) return `${matches.length} sessions start with ${wanted}; give more characters`;
  return summarizeSession(host, home, match);
}

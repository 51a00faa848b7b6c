/** Finds the session to resume. */

import { coppiceHome, projectKey } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import { nameSessions, newestSessions } from '../../session/store/list-sessions.js';
import { type SessionSummary, summarizeSession } from '../../session/store/summarize-session.js';
import type { OpenFailure } from '../session-options.js';

type Location = { readonly home: string; readonly project: string };

type FoundSession = { readonly ok: true; readonly id: string } | OpenFailure;

const MOST_SHOWN = 5;

/** `latest`: the newest of this folder. Otherwise an id, or a unique beginning of one. */
export async function findSession(host: Host, folder: string, id: string): Promise<FoundSession> {
  const location = { home: coppiceHome(host.env), project: projectKey(folder) };
  return id === 'latest' ? findLatest(host, folder, location) : findById(host, folder, location, id);
}

/** Reports a damaged newest session instead of skipping it: you might mistake an older one for it. */
async function findLatest(host: Host, folder: string, location: Location): Promise<FoundSession> {
  let damaged: SessionSummary | undefined;
  for await (const session of newestSessions(host, location.home, location.project)) {
    if (session.empty || session.onlyCalls) continue;
    const isUsable = session.damaged === undefined || session.prompt !== '';
    if (isUsable && damaged === undefined) return { ok: true, id: session.id };
    if (isUsable) return { ok: false, kind: 'state', reason: describeDamaged(damaged ?? session, session) };
    damaged ??= session;
  }
  if (damaged !== undefined) return { ok: false, kind: 'state', reason: describeDamaged(damaged) };
  const { problems } = await nameSessions(host.files, location);
  if (problems.length > 0) return { ok: false, kind: 'state', reason: problems.join('\n') };
  return {
    ok: false,
    kind: 'usage',
    reason: `No session to continue in ${folder}. Start one: coppice -p "…"`,
  };
}

function describeDamaged({ id, lastActive, damaged }: SessionSummary, older?: SessionSummary): string {
  const when =
    lastActive === 0 ? '' : `, last used ${new Date(lastActive).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const lines = [
    `The newest session here (${id}${when}) is damaged: ${damaged}. Nothing was sent. Try:`,
    `  coppice --resume ${id}   resume its readable part`,
    ...(older ? [`  coppice --resume ${older.id}   resume the newest intact one: ${older.prompt.slice(0, 60)}`] : []),
    `coppice sessions show ${id} shows its contents.`,
  ];
  return lines.join('\n');
}

async function findById(host: Host, folder: string, location: Location, wanted: string): Promise<FoundSession> {
  const { found } = await nameSessions(host.files, location);
  const matches = found.filter(({ id }) => id.startsWith(wanted));
  const [only] = matches;
  const exact = matches.find(({ id }) => id === wanted) ?? (matches.length === 1 ? only : undefined);
  if (exact !== undefined) return { ok: true, id: exact.id };
  const some: SessionSummary[] = [];
  if (matches.length > 1) {
    for (const one of matches.slice(0, MOST_SHOWN)) some.push(await summarizeSession(host, location.home, one));
  } else {
    for await (const session of newestSessions(host, location.home, location.project)) {
      if (session.damaged === undefined || session.prompt !== '') some.push(session);
      if (some.length === MOST_SHOWN) break;
    }
  }
  const reason =
    matches.length > 1 ? `${matches.length} sessions start with ${wanted}` : `No session ${wanted} in ${folder}`;
  const list = some.map((session) => `\n  ${session.id}  ${session.prompt.slice(0, 60)}`).join('');
  const listed = list === '' ? '.' : `:${list}`;
  return { ok: false, kind: 'usage', reason: `${reason}${listed}\ncoppice sessions lists them all.` };
}

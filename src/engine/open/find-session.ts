/** Finds the session that a person wants to go on with. */

import { coppiceHome, projectKey } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import { nameSessions, newestSessions } from '../../session/store/list-sessions.js';
import { type SessionSummary, summarizeSession } from '../../session/store/summarize-session.js';
import type { OpenFailure } from '../session-options.js';

type Place = { readonly home: string; readonly project: string };

type FoundSession = { readonly ok: true; readonly id: string } | OpenFailure;

const MOST_SHOWN = 5;

/** `latest`: the newest of this folder. Otherwise an id, or enough of its beginning. */
export async function findSession(host: Host, folder: string, wanted: string): Promise<FoundSession> {
  const place = { home: coppiceHome(host.env), project: projectKey(folder) };
  return wanted === 'latest' ? findLatest(host, folder, place) : findById(host, folder, place, wanted);
}

/** A damaged one is not passed over in silence: the person may take an older one for it. */
async function findLatest(host: Host, folder: string, place: Place): Promise<FoundSession> {
  let damaged: SessionSummary | undefined;
  for await (const session of newestSessions(host, place.home, place.project)) {
    if (session.empty || session.onlyCalls) continue;
    const isUsable = session.damaged === undefined || session.prompt !== '';
    if (isUsable && damaged === undefined) return { ok: true, id: session.id };
    if (isUsable) return { ok: false, kind: 'state', reason: describeDamaged(damaged ?? session, session) };
    damaged ??= session;
  }
  if (damaged !== undefined) return { ok: false, kind: 'state', reason: describeDamaged(damaged) };
  const { problems } = await nameSessions(host.files, place);
  if (problems.length > 0) return { ok: false, kind: 'state', reason: problems.join('\n') };
  return {
    ok: false,
    kind: 'usage',
    reason: `there is no session to continue in ${folder}. Start one: coppice -p "…"`,
  };
}

function describeDamaged({ id, lastActive, damaged }: SessionSummary, older?: SessionSummary): string {
  const when =
    lastActive === 0 ? '' : `, last used ${new Date(lastActive).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const lines = [
    `the newest session here (${id}${when}) is damaged: ${damaged}. Nothing was sent. You can`,
    `  coppice --resume ${id}   go on with what can be read of it`,
    ...(older
      ? [`  coppice --resume ${older.id}   go on with the newest one that is whole: ${older.prompt.slice(0, 60)}`]
      : []),
    `coppice sessions show ${id} announcements what is in it.`,
  ];
  return lines.join('\n');
}

async function findById(host: Host, folder: string, place: Place, wanted: string): Promise<FoundSession> {
  const { found } = await nameSessions(host.files, place);
  const matches = found.filter(({ id }) => id.startsWith(wanted));
  const [only] = matches;
  const exact = matches.find(({ id }) => id === wanted) ?? (matches.length === 1 ? only : undefined);
  if (exact !== undefined) return { ok: true, id: exact.id };
  const some: SessionSummary[] = [];
  if (matches.length > 1) {
    for (const one of matches.slice(0, MOST_SHOWN)) some.push(await summarizeSession(host, place.home, one));
  } else {
    for await (const session of newestSessions(host, place.home, place.project)) {
      if (session.damaged === undefined || session.prompt !== '') some.push(session);
      if (some.length === MOST_SHOWN) break;
    }
  }
  const reason =
    matches.length > 1
      ? `${matches.length} sessions begin with ${wanted}`
      : `there is no session ${wanted} in ${folder}`;
  const list = some.map((session) => `\n  ${session.id}  ${session.prompt.slice(0, 60)}`).join('');
  const told = list === '' ? '.' : `:${list}`;
  return { ok: false, kind: 'usage', reason: `${reason}${told}\ncoppice sessions lists them all.` };
}

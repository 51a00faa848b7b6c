/**
 * Finds the sessions, newest first. A session that can't be read is listed with the reason and does not hide the others.
 */

import { join } from 'node:path';
import { projectFolder } from '../../config/paths.js';
import { type Entry, errorCode, type Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { isSegment } from '../transcript/transcript.js';
import { readRecent, saveRecent } from './recent-sessions.js';
import {
  lastWritten,
  type NamedSession,
  nameSession,
  type SessionSummary,
  summarizeSession,
} from './summarize-session.js';

export type SessionList = {
  readonly sessions: readonly SessionSummary[];
  readonly problems: readonly string[];
};

export type ListOptions = {
  /** The folder that holds our state. */
  readonly home: string;
  /** List one project only. */
  readonly project?: string;
};

/** How many files are read concurrently. */
const AT_ONCE = 16;

/** Reads only the beginning and the end of each transcript. */
export async function listSessions(host: Host, options: ListOptions): Promise<SessionList> {
  const { found, problems } = await nameSessions(host.files, options);
  const sessions: SessionSummary[] = [];
  let next = 0;
  const work = async () => {
    for (let one = found[next++]; one !== undefined; one = found[next++]) {
      sessions.push(await summarizeSession(host, options.home, one));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  sessions.sort((a, b) => byTime({ ...a, time: a.lastActive }, { ...b, time: b.lastActive }));
  return { sessions, problems };
}

/**
 * The sessions of a project in the same order, opened one at a time on demand. Usually the first is enough, and is
 * found without inspecting the others.
 */
export async function* newestSessions(host: Host, home: string, project: string): AsyncGenerator<SessionSummary> {
  const given = new Set<string>();
  for (const { id, read } of await recentFirst(host, home, project)) {
    given.add(id);
    yield await read();
  }
  for (const { id, read } of await allByTime(host, home, project)) if (!given.has(id)) yield await read();
}

type TimedSession = { readonly id: string; readonly time: number; read(): Promise<SessionSummary> };

/** The newest sessions, as far as they are known. */
async function recentFirst(host: Host, home: string, project: string): Promise<readonly TimedSession[]> {
  const changed = await host.files.stat(projectFolder(home, project)).catch(() => undefined);
  const recent = changed && (await readRecent(host, home, project, changed.mtimeMs));
  if (recent === undefined) return [];
  const timed: TimedSession[] = [];
  for (const id of new Set([...recent.newest, ...recent.since])) {
    const session = nameSession(host, home, project, id);
    if (session === undefined) continue;
    const time = lastWritten(host, home, session);
    if (time === undefined) return [];
    timed.push({ id, time, read: () => summarizeSession(host, home, session) });
  }
  // All other sessions were older than the oldest of these, and were not written since.
  const known = new Set(recent.newest);
  const oldest = recent.isAll ? 0 : Math.min(...timed.filter(({ id }) => known.has(id)).map(({ time }) => time));
  return timed.filter(({ time }) => time >= oldest).sort(byTime);
}

/** Sorts by the times of the files, without opening any. */
async function allByTime(host: Host, home: string, project: string): Promise<readonly TimedSession[]> {
  const at = host.clock.now();
  const { found, problems } = await nameSessions(host.files, { home, project });
  const timed: TimedSession[] = [];
  for (const one of found) {
    const time = lastWritten(host, home, one);
    const read = () => summarizeSession(host, home, one);
    if (time !== undefined) {
      timed.push({ id: one.id, time, read });
      continue;
    }
    // The file's time is implausible: use the time in its records.
    const summary = await read();
    timed.push({ id: one.id, time: summary.lastActive, read: async () => summary });
  }
  timed.sort(byTime);
  if (problems.length === 0 && found.length > 0) {
    const inUse = found.filter(({ id, names }) => names.has(`${id}.lock`)).map(({ id }) => id);
    await saveRecent(host, home, project, { at, newest: timed.map(({ id }) => id), inUse });
  }
  return timed;
}

/** Lists the sessions by their file names, without opening any. */
export async function nameSessions(
  files: Files,
  options: ListOptions,
): Promise<{ readonly found: readonly NamedSession[]; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const projects =
    options.project === undefined ? await findProjects(files, options.home, problems) : [options.project];
  const found: NamedSession[] = [];
  for (const project of projects) {
    const entries = await listOrReport(files, projectFolder(options.home, project), problems);
    const names = new Set(entries.map((entry) => entry.name));
    for (const { name, kind } of entries) {
      if (kind !== 'file' || !name.endsWith('.jsonl') || isSegment(name, names)) continue;
      found.push({ id: name.slice(0, -'.jsonl'.length), project, names });
    }
  }
  return { found, problems };
}

/** Newest first. */
function byTime(a: { id: string; time: number }, b: { id: string; time: number }): number {
  return b.time - a.time || (a.id < b.id ? 1 : -1);
}

async function findProjects(files: Files, home: string, problems: string[]): Promise<string[]> {
  const entries = await listOrReport(files, join(home, 'projects'), problems);
  return entries.filter((entry) => entry.kind === 'folder').map((entry) => entry.name);
}

async function listOrReport(files: Files, folder: string, problems: string[]): Promise<readonly Entry[]> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') problems.push(`${folder} can't be read: ${reasonOf(error)}`);
    return [];
  }
}

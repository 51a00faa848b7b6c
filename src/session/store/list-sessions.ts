/**
 * Finds the sessions, newest first. A session that can't be read is listed with the reason and does not hide the others.
 */

import { join } from 'node:path';
import { projectFolder } from '../../config/paths.js';
import { type Entry, errorCode, type Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import {
  isSegment,
  lastWritten,
  type NamedSession,
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

/** From the beginning and the end of each transcript; none is read whole. */
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
 * The same sessions in the same order, one at a time: only those that are asked for are opened. The times come from the
 * file system, which is the index: always right, shared by all processes, and quick to ask for ten thousand.
 */
export async function* newestSessions(host: Host, options: ListOptions): AsyncGenerator<SessionSummary> {
  const { found } = await nameSessions(host.files, options);
  const timed: { id: string; time: number; look: () => Promise<SessionSummary> }[] = [];
  for (const one of found) {
    const time = lastWritten(host, options.home, one);
    const look = () => summarizeSession(host, options.home, one);
    if (time !== undefined) {
      timed.push({ id: one.id, time, look });
      continue;
    }
    // The system's time can't be true: what the records say counts.
    const summary = await look();
    timed.push({ id: one.id, time: summary.lastActive, look: async () => summary });
  }
  timed.sort(byTime);
  for (const { look } of timed) yield await look();
}

/** The sessions by their names alone: nothing is opened. */
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

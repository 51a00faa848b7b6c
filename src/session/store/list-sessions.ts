/**
 * Lists the sessions, newest first, from the beginning and end of each transcript; none is read whole. A session that
 * can't be read is listed with the reason and does not hide the others.
 */

import { join } from 'node:path';
import { projectFolder, sessionLayout } from '../../config/paths.js';
import { type Entry, errorCode, type Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import type { RunEndReason } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { segmentPath } from '../transcript/transcript.js';
import { HEAD_BYTES, readHead } from './session-head.js';
import { sessionInUse } from './session-lock.js';
import { readTail, TAIL_BYTES } from './session-tail.js';

export type SessionSummary = {
  readonly id: string;
  /** Name of the project's folder in our home. */
  readonly project: string;
  readonly path: string;
  /** Empty if the beginning is damaged. */
  readonly cwd: string;
  readonly prompt: string;
  readonly model: string;
  /** Milliseconds since 1970; undefined if unknown. */
  readonly started: number | undefined;
  /** 0 if no plausible time is known. */
  readonly lastActive: number;
  /** How its last run ended; undefined if it was cut off or is still active. */
  readonly ended: RunEndReason | undefined;
  readonly inUse: boolean;
  readonly agents: number;
  /** Size of its own transcript, all segments. */
  readonly bytes: number;
  /** Why it can't be listed in full or opened; undefined if nothing is wrong. */
  readonly damaged: string | undefined;
};

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
/** A time further in the future than this comes from a wrong clock. */
const DAY_MS = 24 * 60 * 60 * 1000;
const EARLIEST = Date.UTC(2020, 0, 1);

export async function listSessions(host: Host, options: ListOptions): Promise<SessionList> {
  const problems: string[] = [];
  const projects =
    options.project === undefined ? await findProjects(host.files, options.home, problems) : [options.project];
  const found: { id: string; project: string; names: ReadonlySet<string> }[] = [];
  for (const project of projects) {
    const entries = await listOrReport(host.files, projectFolder(options.home, project), problems);
    const names = new Set(entries.map((entry) => entry.name));
    for (const { name, kind } of entries) {
      if (kind !== 'file' || !name.endsWith('.jsonl') || isSegment(name, names)) continue;
      found.push({ id: name.slice(0, -'.jsonl'.length), project, names });
    }
  }
  const sessions: SessionSummary[] = [];
  let next = 0;
  const work = async () => {
    for (let one = found[next++]; one !== undefined; one = found[next++]) {
      sessions.push(await summarize(host, options.home, one.project, one.id, one.names));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  sessions.sort((a, b) => b.lastActive - a.lastActive || (a.id < b.id ? 1 : -1));
  return { sessions, problems };
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

/** `names`: the folder's entries, so that missing files are not looked up. */
async function summarize(
  host: Host,
  home: string,
  project: string,
  id: string,
  names: ReadonlySet<string>,
): Promise<SessionSummary> {
  const path = join(projectFolder(home, project), `${id}.jsonl`);
  const now = host.clock.now();
  const nothing = { id, project, path, cwd: '', prompt: '', model: '', started: undefined, ended: undefined };
  try {
    const layout = sessionLayout(home, project, id);
    const [own, last, agents, inUse] = await Promise.all([
      readEnds(host.files, path),
      lastSegment(host.files, path, id, names),
      names.has(id) ? countAgents(host.files, layout.subagents) : 0,
      names.has(`${id}.lock`) ? sessionInUse(host, layout).then((found) => found !== 'free') : false,
    ]);
    const { head } = own;
    const { tail, mtimeMs } = last ?? own;
    const started = typeof head === 'string' ? undefined : plausible(Date.parse(head.ts), now);
    const shared = {
      lastActive: plausible(mtimeMs, now) ?? plausible(Date.parse(tail.ts ?? ''), now) ?? started ?? 0,
      ended: tail.ended,
      inUse,
      agents,
      bytes: own.bytes + (last?.bytes ?? 0),
    };
    if (typeof head === 'string') return { ...nothing, ...shared, model: tail.model ?? '', damaged: head };
    return {
      ...nothing,
      ...shared,
      cwd: head.started.cwd,
      prompt: head.prompt,
      model: tail.model ?? head.started.model,
      started,
      damaged: head.started.session === id ? undefined : `it belongs to session ${head.started.session}`,
    };
  } catch (error) {
    return {
      ...nothing,
      lastActive: 0,
      inUse: false,
      agents: 0,
      bytes: 0,
      damaged: `it can't be read: ${reasonOf(error)}`,
    };
  }
}

async function readEnds(files: Files, path: string) {
  const handle = await files.openRead(path);
  try {
    const { size, mtimeMs } = await handle.stat();
    // Read a small file in one go.
    const isSmall = size <= HEAD_BYTES + TAIL_BYTES;
    const beginning = await handle.read(0, isSmall ? size : HEAD_BYTES);
    const head = await readHead(handle, beginning, size);
    const tail = await readTail(handle, size, isSmall ? beginning : undefined);
    return { head, tail, mtimeMs, bytes: size };
  } finally {
    await handle.close();
  }
}

async function lastSegment(files: Files, path: string, id: string, names: ReadonlySet<string>) {
  let last: Awaited<ReturnType<typeof readEnds>> | undefined;
  let bytes = 0;
  for (let segment = 1; names.has(`${id}.${segment}.jsonl`); segment += 1) {
    last = await readEnds(files, segmentPath(path, segment));
    bytes += last.bytes;
  }
  return last && { tail: last.tail, mtimeMs: last.mtimeMs, bytes };
}

async function countAgents(files: Files, folder: string): Promise<number> {
  try {
    const names = new Set((await files.list(folder)).map((entry) => entry.name));
    return [...names].filter((name) => /^agent-.*\.jsonl$/.test(name) && !isSegment(name, names)).length;
  } catch {
    return 0;
  }
}

/** `x.1.jsonl` continues `x.jsonl`. */
function isSegment(name: string, names: ReadonlySet<string>): boolean {
  const first = name.replace(/\.\d+\.jsonl$/, '.jsonl');
  return first !== name && names.has(first);
}

/** Accepts only times that are not in the future and not before the first sessions existed. */
function plausible(time: number, now: number): number | undefined {
  if (!Number.isFinite(time) || time > now + DAY_MS || time < EARLIEST) return undefined;
  return Math.min(time, now);
}

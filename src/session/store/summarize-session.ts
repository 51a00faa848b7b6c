/** Summarizes a session from the beginning and the end of its transcript, without reading all of it. */

import { join } from 'node:path';
import { isFileName, projectFolder, sessionLayout } from '../../config/paths.js';
import type { Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import type { RunEndReason } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { isSegment, segmentPath } from '../transcript/transcript.js';
import { HEAD_BYTES, readHead } from './session-head.js';
import { sessionInUse } from './session-lock.js';
import { readSessionName } from './session-name.js';
import { readTail, TAIL_BYTES } from './session-tail.js';

export type SessionSummary = {
  readonly id: string;
  /** Name of the project's folder in our home. */
  readonly project: string;
  readonly path: string;
  /** Empty if the beginning is damaged. */
  readonly cwd: string;
  readonly prompt: string;
  /** Its display name, if it has one. */
  readonly name?: string;
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
  /** It has no records: its process ended before the first one was complete. */
  readonly empty: boolean;
  /** It was used for calls of clients only, and has no messages. */
  readonly onlyCalls: boolean;
  /** Why it can't be listed completely or opened; undefined if nothing is wrong. */
  readonly damaged: string | undefined;
};

/** A session as listed in its folder. */
export type NamedSession = {
  readonly id: string;
  readonly project: string;
  /** All entries of the project's folder, so that missing files are not looked up. */
  readonly names: ReadonlySet<string>;
};

/** Finds a session by its id, without listing the whole folder. Undefined if there is none. */
export function nameSession({ files }: Host, home: string, project: string, id: string): NamedSession | undefined {
  if (!isFileName(id)) return undefined;
  const folder = projectFolder(home, project);
  const isThere = (name: string) => files.sync.lstat(join(folder, name)) !== undefined;
  if (files.sync.lstat(join(folder, `${id}.jsonl`))?.kind !== 'file') return undefined;
  const names = new Set([id, `${id}.lock`].filter(isThere));
  for (let segment = 1; isThere(`${id}.${segment}.jsonl`); segment += 1) names.add(`${id}.${segment}.jsonl`);
  return { id, project, names };
}

/** A time further in the future than this comes from a wrong clock. */
const DAY_MS = 24 * 60 * 60 * 1000;
const EARLIEST = Date.UTC(2020, 0, 1);

/** When a session was last written, without opening it. Undefined if the file's time is implausible. */
export function lastWritten(host: Host, home: string, session: NamedSession): number | undefined {
  return inspectLastSegment(host, home, session)?.time;
}

/** The file that was written last. `time`: its time, if plausible. Undefined if it can't be inspected. */
export function inspectLastSegment(host: Host, home: string, { id, project, names }: NamedSession) {
  let segment = 0;
  while (names.has(`${id}.${segment + 1}.jsonl`)) segment += 1;
  try {
    const found = host.files.sync.lstat(segmentPath(join(projectFolder(home, project), `${id}.jsonl`), segment));
    if (found === undefined) return undefined;
    const { mtimeMs, size } = found;
    return { mtimeMs, size, time: plausible(mtimeMs, host.clock.now()) };
  } catch {
    return undefined;
  }
}

export async function summarizeSession(
  host: Host,
  home: string,
  { id, project, names }: NamedSession,
): Promise<SessionSummary> {
  const path = join(projectFolder(home, project), `${id}.jsonl`);
  const now = host.clock.now();
  const nothing = { id, project, path, cwd: '', prompt: '', model: '', started: undefined, ended: undefined };
  try {
    const layout = sessionLayout(home, project, id);
    const [own, last, agents, name, inUse] = await Promise.all([
      readEnds(host.files, path),
      lastSegment(host.files, path, id, names),
      names.has(id) ? countAgents(host.files, layout.subagents) : 0,
      names.has(id) ? readSessionName(host, layout) : undefined,
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
      ...(name === undefined ? {} : { name }),
      bytes: own.bytes + (last?.bytes ?? 0),
      empty: own.unbegun && last === undefined,
      onlyCalls: typeof head !== 'string' && head.started.onlyCalls === true,
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
      lastActive: lastWritten(host, home, { id, project, names }) ?? 0,
      empty: false,
      onlyCalls: false,
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
    return { head, tail, mtimeMs, bytes: size, unbegun: isUnbegun(beginning, size) };
  } finally {
    await handle.close();
  }
}

/** Empty, or only the beginning of a first record, as left by a process that was killed right away. */
function isUnbegun(beginning: Buffer, size: number): boolean {
  if (size === 0) return true;
  return (
    size <= HEAD_BYTES &&
    !beginning.includes('\n') &&
    RECORD_START.startsWith(beginning.toString('latin1', 0, RECORD_START.length))
  );
}

const RECORD_START = '{"v":';

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

/** Accepts only times that are not in the future and not before the first sessions existed. */
function plausible(time: number, now: number): number | undefined {
  if (!Number.isFinite(time) || time > now + DAY_MS || time < EARLIEST) return undefined;
  return Math.min(time, now);
}

/**
 * Lists the sessions to choose from, newest first, immediately: from the times of their files and the saved details.
 * Missing details are read afterwards, newest first, and saved.
 */

import { join } from 'node:path';
import { projectFolder } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import { type ListOptions, nameSessions } from '../list-sessions.js';
import { inspectLastSegment, type NamedSession } from '../summarize-session.js';
import { type IndexEntry, readIndex, type Stamp, saveIndex } from './details-index.js';
import { readDetails, type SessionDetails } from './session-details.js';

export type PickerSession = {
  readonly id: string;
  /** Name of the project's folder in our home. */
  readonly project: string;
  /** Its transcript. */
  readonly path: string;
  /** Milliseconds since 1970; 0 if no plausible time is known. */
  readonly lastActive: number;
  /** Undefined until they are read. */
  readonly details: SessionDetails | undefined;
};

export type PickerList = {
  readonly sessions: readonly PickerSession[];
  readonly problems: readonly string[];
  /** Reads missing details, newest first. `take` gets each session with its details. Never rejects. */
  complete(take: (session: PickerSession) => void, signal?: AbortSignal): Promise<void>;
};

/** How many sessions are read at the same time. */
const AT_ONCE = 8;
/** After this many sessions, other work gets a chance to run. */
const YIELD_EVERY = 2_000;

type Found = { readonly named: NamedSession; readonly stamp: Stamp | undefined; session: PickerSession };

/** `project`: only that one. Sessions known to be empty are left out. */
export async function listForPicker(host: Host, options: ListOptions): Promise<PickerList> {
  const { home } = options;
  const { found: named, problems } = await nameSessions(host.files, options);
  const indexes = new Map<string, Map<string, IndexEntry>>();
  const found: Found[] = [];
  for (const [index, one] of named.entries()) {
    if (index % YIELD_EVERY === YIELD_EVERY - 1) await host.clock.sleep(0);
    const known = indexes.get(one.project) ?? (await readIndex(host, home, one.project));
    indexes.set(one.project, known);
    found.push(inspect(host, home, one, known));
  }
  const shown = found.filter(({ session }) => session.details?.isEmpty !== true);
  shown.sort(({ session: a }, { session: b }) => b.lastActive - a.lastActive || (a.id < b.id ? 1 : -1));
  return {
    sessions: shown.map(({ session }) => session),
    problems,
    complete: async (take, signal) => {
      const changed = await readMissing(host, home, { shown, take, signal });
      const gone = [...indexes]
        .filter(([project, known]) => hasGone(known, project, found))
        .map(([project]) => project);
      for (const project of new Set([...changed, ...gone]))
        await saveIndex(host, home, project, indexOf(project, found));
    },
  };
}

function inspect(host: Host, home: string, named: NamedSession, known: ReadonlyMap<string, IndexEntry>): Found {
  const { id, project } = named;
  const last = inspectLastSegment(host, home, named);
  const entry = known.get(id);
  const isKnown =
    last !== undefined && !isOpen(named) && entry?.stamp.mtimeMs === last.mtimeMs && entry.stamp.size === last.size;
  const session = {
    id,
    project,
    path: join(projectFolder(home, project), `${id}.jsonl`),
    lastActive: last?.time ?? 0,
    details: isKnown ? entry.details : undefined,
  };
  return { named, stamp: last && { mtimeMs: last.mtimeMs, size: last.size }, session };
}

/** Or was left by a process that died. Its details may change without its file: its agents change, too. */
function isOpen({ id, names }: NamedSession): boolean {
  return names.has(`${id}.lock`);
}

type Missing = {
  readonly shown: readonly Found[];
  readonly take: (session: PickerSession) => void;
  readonly signal: AbortSignal | undefined;
};

/** Returns the projects with new details. */
async function readMissing(host: Host, home: string, { shown, take, signal }: Missing): Promise<ReadonlySet<string>> {
  const missing = shown.filter(({ session }) => session.details === undefined);
  const changed = new Set<string>();
  let next = 0;
  const work = async () => {
    for (let one = missing[next++]; one !== undefined && !signal?.aborted; one = missing[next++]) {
      one.session = { ...one.session, details: await readDetails(host, home, one.named) };
      changed.add(one.session.project);
      take(one.session);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return changed;
}

function hasGone(known: ReadonlyMap<string, IndexEntry>, project: string, found: readonly Found[]): boolean {
  const here = new Set(found.flatMap(({ session }) => (session.project === project ? [session.id] : [])));
  return [...known.keys()].some((id) => !here.has(id));
}

function indexOf(project: string, found: readonly Found[]): ReadonlyMap<string, IndexEntry> {
  return new Map(
    found.flatMap(({ session, stamp, named }) =>
      session.project === project && session.details !== undefined && stamp !== undefined && !isOpen(named)
        ? [[session.id, { stamp, details: session.details }] as const]
        : [],
    ),
  );
}

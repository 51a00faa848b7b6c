/**
 * Details of a project's sessions in one file next to its folder, so that thousands are listed without opening one.
 * Derived; an entry is valid only for a file with exactly this time and length.
 */

import * as z from 'zod';
import { projectFolder } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import { readRegularFile } from '../../../host/read-regular-file.js';
import { parseJson } from '../../../protocol/json/json-values.js';
import { once } from '../../../protocol/once.js';
import type { SessionDetails } from './session-details.js';

/** Identifies the state of a session's last written file. */
export type Stamp = { readonly mtimeMs: number; readonly size: number };

export type IndexEntry = { readonly stamp: Stamp; readonly details: SessionDetails };

const MOST_BYTES = 64 * 1024 * 1024;
/** Entries of another version are ignored. */
const VERSION = 1;

const lineSchema = once(() => {
  const details = z.object({
    cwd: z.string(),
    name: z.string().optional(),
    prompt: z.string(),
    branch: z.string().optional(),
    interrupted: z.number(),
    isEmpty: z.boolean(),
    damaged: z.string().optional(),
  });
  return z.tuple([z.literal(VERSION), z.string(), z.number(), z.number(), details]);
});

/** By session id. Unreadable entries are ignored. */
export async function readIndex(host: Host, home: string, project: string): Promise<Map<string, IndexEntry>> {
  const known = new Map<string, IndexEntry>();
  const read = await readRegularFile(host.files, indexPath(home, project), { most: MOST_BYTES });
  if (read.kind !== 'read') return known;
  for (const line of read.bytes.toString('utf8').split('\n')) {
    const parsed = line === '' ? undefined : lineSchema().safeParse(parseJson(line)).data;
    if (parsed === undefined) continue;
    const [, id, mtimeMs, size, details] = parsed;
    known.set(id, { stamp: { mtimeMs, size }, details: details as SessionDetails });
  }
  return known;
}

/** A failure loses nothing. */
export async function saveIndex(
  { files }: Host,
  home: string,
  project: string,
  known: ReadonlyMap<string, IndexEntry>,
): Promise<void> {
  const lines = [...known].map(
    ([
      id,
      {
        stamp: { mtimeMs, size },
        details,
      },
    ]) => JSON.stringify([VERSION, id, mtimeMs, size, details]),
  );
  await files.replace(indexPath(home, project), `${lines.join('\n')}\n`, 0o600).catch(() => {});
}

function indexPath(home: string, project: string): string {
  return `${projectFolder(home, project)}.index`;
}

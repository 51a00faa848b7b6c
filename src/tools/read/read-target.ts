/** Opens the file that Read reads: links resolved, of a readable kind, in the folder that was checked. */

import { basename, dirname } from 'node:path';
import { errorCode, type FileStat, type ReadHandle } from '../../host/files.js';
import { nearestNames } from '../nearest-names.js';
import { isInside } from '../path-context.js';
import { type RealPath, resolveRealPath } from '../real-path.js';
import type { ToolContext } from '../tool.js';

/** How many names of a folder are searched for a similar one. */
const MOST_NAMES = 10_000;

type Missing = Extract<RealPath, { found: 'nothing' }>;

export type ReadTarget = {
  /** The path as the model gave it. */
  readonly shown: string;
  readonly real: string;
  /** The open file and its stat. The caller closes it. */
  readonly file: ReadHandle;
  readonly stat: FileStat;
};

/** `path` is absolute. May throw Node's file errors. */
export async function openReadTarget(
  path: string,
  context: ToolContext,
): Promise<ReadTarget | { readonly reason: string }> {
  const { memory } = context;
  if (memory !== undefined && isInside(memory.folder, path)) await memory.prepared();
  const found = await resolveRealPath(context, path);
  if (found.found === 'refused') return { reason: found.reason };
  if (found.found === 'nothing') return { reason: await explainMissing(path, found, context) };
  const { path: real } = found;
  // Opening a pipe or a device may already have effects, so check before; the open file is checked again.
  const reason = reasonNotReadable(path, real, found.stat);
  if (reason !== undefined) return { reason };
  const file = await openInFolder(context, real);
  const stat = await file.stat();
  const isElsewhere = memory !== undefined && isInside(memory.folder, real) && stat.links > 1;
  const notAny = isElsewhere
    ? `${path} is a hard link to another file, not one of your notes.`
    : reasonNotReadable(path, real, stat);
  if (notAny === undefined) return { shown: path, real, file, stat };
  await file.close();
  return { reason: notAny };
}

async function openInFolder({ host }: ToolContext, real: string): Promise<ReadHandle> {
  const folder = await host.files.holdFolder(dirname(real));
  try {
    return await folder.openRead(basename(real));
  } finally {
    await folder.close();
  }
}

/** The whole file, at its size when it was opened. */
export function readWhole({ file, stat }: ReadTarget): Promise<Buffer> {
  return file.read(0, stat.size);
}

function reasonNotReadable(shown: string, real: string, stat: FileStat): string | undefined {
  if (stat.kind === 'folder') return `${shown} is a folder. Use Glob, or Bash with ls, to see what is in it.`;
  if (stat.kind !== 'file') return `${shown} is a device, pipe or socket, not a file, and can't be read.`;
  if ([shown, real].some((path) => path.startsWith('/proc/') || path.startsWith('/sys/'))) {
    return `${shown} is a kernel interface, not a regular file, and can't be read here. Use Bash if you need it.`;
  }
  return undefined;
}

/** Searches for similar names only in the folder that was checked, held as for reading (GT-28). */
async function explainMissing(path: string, missing: Missing, { host }: ToolContext): Promise<string> {
  const folder = dirname(path);
  if (dirname(missing.path) !== missing.folder) {
    return `${path} does not exist; the folder ${folder} does not exist either.`;
  }
  try {
    const held = await host.files.holdFolder(missing.folder);
    const entries = await held.list(MOST_NAMES).finally(() => held.close());
    const near = nearestNames(
      basename(path),
      entries.map(({ name }) => name),
    );
    const hint = near.length === 0 ? '' : ` Similar names in that folder: ${near.join(', ')}.`;
    return `${path} does not exist.${hint}`;
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return `${path} does not exist; ${folder} is a file, not a folder.`;
    throw error;
  }
}

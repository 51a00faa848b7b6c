/** Finds the file that Read opens: links resolved, and of a kind that can be read. */

import { basename, dirname } from 'node:path';
import type { FileStat } from '../../host/files.js';
import { nearestNames } from '../nearest-names.js';
import { resolveRealPath } from '../real-path.js';
import type { ToolContext } from '../tool.js';

export type ReadTarget = {
  /** The path as the model gave it. */
  readonly shown: string;
  readonly real: string;
  readonly stat: FileStat;
};

/** `path` is absolute. May throw Node's file errors. */
export async function findReadTarget(
  path: string,
  context: ToolContext,
): Promise<ReadTarget | { readonly reason: string }> {
  const found = await resolveRealPath(context, path);
  if (found.found === 'refused') return { reason: found.reason };
  if (found.found === 'nothing') return { reason: await explainMissing(path, context) };
  const target = { shown: path, real: found.path, stat: found.stat };
  const reason = reasonNotReadable(target);
  return reason === undefined ? target : { reason };
}

/** Checked before opening: opening a pipe waits for a writer, and a device may never end. */
function reasonNotReadable({ shown, real, stat }: ReadTarget): string | undefined {
  if (stat.kind === 'folder') return `${shown} is a folder. Use Glob, or Bash with ls, to see what is in it.`;
  if (stat.kind !== 'file') return `${shown} is a device, pipe or socket, not a file, and can't be read.`;
  if ([shown, real].some((path) => path.startsWith('/proc/') || path.startsWith('/sys/'))) {
    return `${shown} is a kernel interface, not a regular file, and can't be read here. Use Bash if you need it.`;
  }
  return undefined;
}

async function explainMissing(path: string, { host }: ToolContext): Promise<string> {
  const folder = dirname(path);
  const stat = await host.files.stat(folder);
  if (stat === undefined) return `${path} does not exist; the folder ${folder} does not exist either.`;
  if (stat.kind !== 'folder') return `${path} does not exist; ${folder} is a file, not a folder.`;
  const names = (await host.files.list(folder)).map((entry) => entry.name);
  const near = nearestNames(basename(path), names);
  const hint = near.length === 0 ? '' : ` Similar names in that folder: ${near.join(', ')}.`;
  return `${path} does not exist.${hint}`;
}

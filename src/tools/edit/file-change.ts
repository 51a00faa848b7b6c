/** Changes a file atomically. The file must be a regular file that was read before and has not changed since. */

import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { FileStat } from '../../host/files.js';
import { failed, type ToolOutcome } from '../../protocol/outcome.js';
import { explainFileError, interrupted } from '../failures.js';
import type { FileVersion } from '../files-read.js';
import { resolveRealPath } from '../real-path.js';
import type { ToolContext } from '../tool.js';
import { oneAtATime } from './one-at-a-time.js';

const MAX_BYTES = 64 * 1024 * 1024;

/** The current file, after the checks; `undefined` if it does not exist yet. */
export type FileNow = { readonly bytes: Buffer; readonly stat: FileStat };

export type Change =
  | { readonly kind: 'write'; readonly content: Buffer; readonly say: (path: string) => string }
  | { readonly kind: 'refuse'; readonly reason: string };

/**
 * Runs `plan` on the current content and writes what it returns. `path` is the declared path.
 * Changes of one file run one after another, so that a second change starts from the result of the first.
 */
export async function changeFile(
  context: ToolContext,
  path: string,
  plan: (now: FileNow | undefined) => Change,
): Promise<ToolOutcome> {
  try {
    const target = await resolveRealPath(context, path);
    if (target.found === 'refused') return failed(target.reason);
    return await oneAtATime(target.path, () => changeAlone(context, path, target.path, plan));
  } catch (error) {
    return failed(explainFileError(error, path));
  }
}

async function changeAlone(
  context: ToolContext,
  path: string,
  real: string,
  plan: (now: FileNow | undefined) => Change,
): Promise<ToolOutcome> {
  const { host, files, signal } = context;
  const stat = await host.files.stat(real);
  const problem = stat === undefined ? undefined : notPlain(path, stat);
  if (problem !== undefined) return failed(problem);
  const now = stat === undefined ? undefined : { bytes: await host.files.read(real), stat };
  const stale = now === undefined ? undefined : staleness(path, now, files.get(real));
  if (stale !== undefined) return failed(stale);

  const change = plan(now);
  if (change.kind === 'refuse') return failed(change.reason);
  if (signal.aborted) return interrupted('Nothing was written.');

  if (now === undefined) await host.files.makeFolder(dirname(real));
  // A link or the file itself may have been replaced since the check: check again.
  const again = await resolveRealPath(context, path);
  if (again.found === 'refused') return failed(again.reason);
  if (again.path !== real)
    return failed(`${path} pointed to ${real} and now points to ${again.path}. Nothing was written.`);
  const last = again.found === 'file' ? again.stat : undefined;
  if (!sameFile(now?.stat, last)) return failed(`${path} changed while it was being edited. Read it again first.`);
  // New files get mode 0666 less the umask, as in any editor.
  await host.files.replace(real, change.content, 0o666);

  const written = await host.files.stat(real);
  files.set(real, markOf(change.content, written));
  return { isError: false, content: [{ type: 'text', text: change.say(path) }] };
}

export function markOf(content: Buffer, stat: FileStat | undefined): FileVersion {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { mtimeMs: stat?.mtimeMs ?? 0, size: stat?.size ?? content.length, sha256 };
}

function notPlain(path: string, stat: FileStat): string | undefined {
  if (stat.kind === 'folder') return `${path} is a folder, not a file.`;
  if (stat.kind !== 'file') return `${path} is a device, pipe or socket and can't be edited.`;
  if (stat.links > 1) {
    return `${path} has ${stat.links} hard links, and one may be outside this project, so it is not written. To edit it anyway, replace it with a copy first, using Bash.`;
  }
  if (stat.size > MAX_BYTES) return `${path} is ${stat.size} bytes, too large to edit here. Use Bash (sed, a script).`;
  return undefined;
}

/** The hash decides: a new timestamp with the same content is no conflict; a change within the same clock tick is one. */
function staleness(path: string, now: FileNow, mark: FileVersion | undefined): string | undefined {
  if (mark === undefined) return `${path} exists and has not been read in this conversation. Read it first, then edit.`;
  const same =
    mark.sha256 === undefined
      ? mark.size === now.stat.size && mark.mtimeMs === now.stat.mtimeMs
      : mark.sha256 === markOf(now.bytes, now.stat).sha256;
  if (same) return undefined;
  return `${path} has changed since it was read (by the person, a program or another agent). Read it again before editing.`;
}

function sameFile(before: FileStat | undefined, after: FileStat | undefined): boolean {
  return before?.identity === after?.identity && before?.size === after?.size && before?.mtimeMs === after?.mtimeMs;
}

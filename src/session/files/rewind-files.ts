/** Puts files back to what they held before a prompt. What somebody else changed since is touched only on a word. */

import type { SessionLayout } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import type { RewoundFile } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { FileState } from '../state/restored.js';
import { hashOf, keepContent, sha256Of } from './file-keeper.js';

export type FileTarget = {
  readonly path: string;
  /** What it is to hold again; null: no file. */
  readonly target: string | null;
  /** What we left in it last; undefined when the process died before that was on record. */
  readonly expected: string | null | undefined;
};

export type LeftFile = { readonly path: string; readonly reason: string };

/** Asked about a file that somebody else has changed; without an answer it is left alone. */
export type MayOverwrite = (path: string) => Promise<boolean>;

/** Pure: of all files changed since the record, what each held first and was left with last. */
export function planFileRewind(states: readonly FileState[], before: number): FileTarget[] {
  const wishes = new Map<string, FileTarget>();
  for (const { seq, kind, path, sha256 } of states) {
    const wish = wishes.get(path);
    if (kind === 'kept' && seq > before && wish === undefined) {
      wishes.set(path, { path, target: sha256, expected: undefined });
    } else if (wish !== undefined) {
      wishes.set(path, { ...wish, expected: kind === 'left' ? sha256 : undefined });
    }
  }
  return [...wishes.values()];
}

export async function rewindFiles(
  host: Host,
  layout: SessionLayout,
  wishes: readonly FileTarget[],
  mayOverwrite: MayOverwrite | undefined,
): Promise<{ readonly files: readonly RewoundFile[]; readonly left: readonly LeftFile[] }> {
  const files: RewoundFile[] = [];
  const left: LeftFile[] = [];
  for (const wish of wishes) {
    const done = await rewindFile(host, layout, wish, mayOverwrite);
    if (done === undefined) continue;
    if ('reason' in done) left.push(done);
    else files.push(done);
  }
  return { files, left };
}

/** Undefined: it holds already what it should. */
async function rewindFile(
  host: Host,
  layout: SessionLayout,
  { path, target, expected }: FileTarget,
  mayOverwrite: MayOverwrite | undefined,
): Promise<RewoundFile | LeftFile | undefined> {
  const now = await hashOf(host.files, path);
  if (now === undefined) return { path, reason: 'it is no plain file now, or it cannot be read' };
  if (now === target) return undefined;
  if (now !== expected && !(await mayOverwrite?.(path))) {
    return { path, reason: 'it was changed by somebody else since' };
  }
  // What is there now is kept as well: going back can be taken back.
  const kept = await keepContent(host, layout, path);
  if (kept === undefined || (typeof kept === 'object' && kept !== null)) {
    return { path, reason: kept?.reason ?? 'it is no plain file now' };
  }
  try {
    if (target === null) await host.files.remove(path);
    else await host.files.replace(path, await readKept(host, layout, target), 0o666);
    return { path, sha256: target, from: kept };
  } catch (error) {
    return { path, reason: reasonOf(error) };
  }
}

async function readKept(host: Host, layout: SessionLayout, sha256: string): Promise<Buffer> {
  const content = await host.files.read(layout.keptFile(sha256));
  if (sha256Of(content) !== sha256) throw new Error('what was kept of it is damaged');
  return content;
}

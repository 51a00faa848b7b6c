/** Finds a worktree of ours by its name, and where it is now: a person may have moved or deleted its folder. */

import { dirname, isAbsolute } from 'node:path';
import { reasonOf } from '../../../protocol/reason-of.js';
import { type Checkout, findCheckout } from '../../git/checkout.js';
import type { Host } from '../../host.js';
import { isWorktreeName, NAME_RULE, openRecords, type WorktreeRecord } from '../worktree-record.js';

export type NamedWorktree =
  | { readonly ok: true; readonly record: WorktreeRecord }
  | { readonly ok: false; readonly reason: string };

export async function readWorktree(host: Host, commonDir: string, name: string): Promise<NamedWorktree> {
  if (!isWorktreeName(name)) {
    return { ok: false, reason: `${JSON.stringify(name)} can't be the name of a worktree: ${NAME_RULE}` };
  }
  try {
    const record = await openRecords(host, commonDir).read(name);
    return record === undefined ? { ok: false, reason: `there is no worktree ${name} here` } : { ok: true, record };
  } catch (error) {
    return { ok: false, reason: `worktree ${name}: ${reasonOf(error)}` };
  }
}

export type Place =
  | { readonly kind: 'there'; readonly checkout: Checkout; readonly isMoved: boolean }
  | { readonly kind: 'gone'; readonly reason: string };

/** Git knows where a worktree was moved to; a folder that is no longer that worktree is somebody else's. */
export async function placeOf(
  host: Host,
  { commonDir, trusted }: Pick<Checkout, 'commonDir' | 'trusted'>,
  record: WorktreeRecord,
): Promise<Place> {
  const known = await movedTo(host, record);
  for (const folder of new Set([record.path, ...(known === undefined ? [] : [known])])) {
    if ((await host.files.stat(folder).catch(() => undefined))?.kind !== 'folder') continue;
    const found = await findCheckout(host, folder, { trusted });
    if (!found.ok || found.checkout.commonDir !== commonDir) continue;
    if (record.gitDir !== undefined && found.checkout.gitDir !== record.gitDir) continue;
    if (record.gitDir === undefined && found.checkout.top !== folder) continue;
    return { kind: 'there', checkout: found.checkout, isMoved: folder !== record.path };
  }
  return { kind: 'gone', reason: `the folder of worktree ${record.name} is gone (${record.path})` };
}

async function movedTo({ files }: Host, { gitDir }: WorktreeRecord): Promise<string | undefined> {
  if (gitDir === undefined) return undefined;
  const text = await files.read(`${gitDir}/gitdir`).catch(() => undefined);
  const file = text?.toString('utf8').replace(/\n$/, '');
  return file !== undefined && isAbsolute(file) ? dirname(file) : undefined;
}

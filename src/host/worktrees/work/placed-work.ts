/** Checks what we placed into a worktree: it is work only if it was changed (WT-7). */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Host } from '../../host.js';
import type { Placed } from '../worktree-record.js';

/** Undefined: it is unchanged. */
export async function describeChange(host: Host, path: string, placed: Placed): Promise<string | undefined> {
  const file = join(path, placed.path);
  const found = await host.files.lstat(file);
  if (found === undefined) return `${placed.path} is gone, which was placed there`;
  const isSame =
    placed.kind === 'link'
      ? found.kind === 'link' && (await host.files.readLink(file)) === placed.target
      : found.kind === 'file' && sha256Of(await host.files.read(file)) === placed.sha256;
  return isSame ? undefined : `${placed.path} was changed since it was placed there`;
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

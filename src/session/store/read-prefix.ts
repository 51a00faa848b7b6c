/** A stored prefix, by its hash, as the bytes that were sent; verified, so that nothing else is ever sent in its place. */

import { createHash } from 'node:crypto';
import type { SessionLayout } from '../../config/paths.js';
import { errorCode } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';

export type StoredPrefix =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly kind: 'missing' | 'changed' | 'unreadable'; readonly reason: string };

export async function readPrefix(host: Host, layout: SessionLayout, sha256: string): Promise<StoredPrefix> {
  if (!/^[0-9a-f]{64}$/.test(sha256)) return { ok: false, kind: 'missing', reason: `no prefix has the name ${sha256}` };
  const path = layout.prefixFile(sha256);
  try {
    const bytes = await host.files.read(path);
    if (createHash('sha256').update(bytes).digest('hex') === sha256) return { ok: true, bytes };
    return { ok: false, kind: 'changed', reason: `${path} is not what was stored there` };
  } catch (error) {
    const reason = errorCode(error) === 'ENOENT' ? 'missing' : 'unreadable';
    return { ok: false, kind: reason, reason: `${path}: ${reasonOf(error)}` };
  }
}

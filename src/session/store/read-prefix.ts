/** Reads a stored prefix by its hash and verifies the bytes, so that no other prefix is ever sent instead. */

import { createHash } from 'node:crypto';
import type { SessionLayout } from '../../config/paths.js';
import { errorCode } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Failure } from '../../protocol/result.js';

export type StoredPrefix =
  | { readonly ok: true; readonly bytes: Buffer }
  | (Failure & { readonly kind: 'missing' | 'changed' | 'unreadable' });

export async function readPrefix(host: Host, layout: SessionLayout, sha256: string): Promise<StoredPrefix> {
  if (!/^[0-9a-f]{64}$/.test(sha256))
    return { ok: false, kind: 'missing', reason: `${sha256} is not a valid prefix hash` };
  const path = layout.prefixFile(sha256);
  try {
    const bytes = await host.files.read(path);
    if (createHash('sha256').update(bytes).digest('hex') === sha256) return { ok: true, bytes };
    return { ok: false, kind: 'changed', reason: `${path} has changed since it was stored` };
  } catch (error) {
    const reason = errorCode(error) === 'ENOENT' ? 'missing' : 'unreadable';
    return { ok: false, kind: reason, reason: `${path}: ${reasonOf(error)}` };
  }
}

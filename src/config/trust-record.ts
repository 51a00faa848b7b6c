/** What `trust.json` holds: trusted folders and approvals, by real path. Pure. */

import * as z from 'zod';
import { once } from '../protocol/once.js';

const recordSchema = once(() =>
  z.object({
    version: z.literal(1),
    folders: z.record(z.string(), z.object({ at: z.number() })),
    /** By folder, then kind and name. */
    approvals: z.record(z.string(), z.record(z.string(), z.object({ hash: z.string(), at: z.number() }))),
  }),
);

export type TrustRecord = z.infer<ReturnType<typeof recordSchema>>;

export const NO_TRUST: TrustRecord = { version: 1, folders: {}, approvals: {} };

export function parseTrust(text: string | undefined): { readonly value: TrustRecord; readonly damaged: boolean } {
  if (text === undefined) return { value: NO_TRUST, damaged: false };
  try {
    const parsed = recordSchema().safeParse(JSON.parse(text));
    return parsed.success ? { value: parsed.data, damaged: false } : { value: NO_TRUST, damaged: true };
  } catch {
    return { value: NO_TRUST, damaged: true };
  }
}

export function withFolder(record: TrustRecord, folder: string, at: number): TrustRecord {
  return { ...record, folders: { ...record.folders, [folder]: { at } } };
}

export function withoutFolder(record: TrustRecord, folder: string): TrustRecord {
  const { [folder]: _, ...folders } = record.folders;
  const { [folder]: __, ...approvals } = record.approvals;
  return { ...record, folders, approvals };
}

export function withApproval(record: TrustRecord, folder: string, key: string, hash: string, at: number): TrustRecord {
  const approved = { ...record.approvals[folder], [key]: { hash, at } };
  return { ...record, approvals: { ...record.approvals, [folder]: approved } };
}

/** Stores which folders the user trusts, and what they approved there, in our home by real path (GT-2, GT-3). */

import { createHash } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod';
import { errorCode } from '../host/files.js';
import type { Host } from '../host/host.js';
import { once } from '../protocol/once.js';
import { foldersUpward } from './find-repo-root.js';
import { coppiceHome, personHome, trustFile } from './paths.js';
import type { Problem } from './problem.js';
import { type UpdateResult, updateJsonFile } from './update-json-file.js';

type ApprovalKind = 'mcp' | 'hook';

type Approval = {
  /** The project it was approved in. */
  readonly folder: string;
  readonly kind: ApprovalKind;
  readonly name: string;
  /** The complete approved value: any change asks again. Only its hash is stored; key order does not matter. */
  readonly value: unknown;
};

export interface Trust {
  /**
   * A trusted folder covers its subfolders, except nested repositories (a clone added later asks again). The home
   * folder, its parents and `/` cover only themselves.
   */
  isTrusted(folder: string): Promise<boolean>;
  trust(folder: string): Promise<UpdateResult>;
  /** Revokes trust and approvals. */
  distrust(folder: string): Promise<UpdateResult>;
  isApproved(approval: Approval): Promise<boolean>;
  approve(approval: Approval): Promise<UpdateResult>;
  /** The problem with the trust file itself, if any. Nothing is trusted then. */
  problem(): Promise<Problem | undefined>;
}

/** Reads the file again for each call, because another process may have changed it. */
export function openTrust(host: Host): Trust {
  const file = trustFile(coppiceHome(host.env));
  const update = (change: (record: TrustRecord) => TrustRecord, holds: (record: TrustRecord) => boolean) =>
    updateJsonFile(host, file, { parse: parseTrust, change, holds });
  return {
    isTrusted: async (folder) => isCovered(host, (await readTrust(host, file)).value, await real(host, folder)),
    trust: async (folder) => {
      const path = await real(host, folder);
      const at = host.clock.now();
      return update(
        (record) => withFolder(record, path, at),
        (record) => Object.hasOwn(record.folders, path),
      );
    },
    distrust: async (folder) => {
      const path = await real(host, folder);
      return update(
        (record) => withoutFolder(record, path),
        (record) => !Object.hasOwn(record.folders, path),
      );
    },
    isApproved: async ({ folder, kind, name, value: wanted }) => {
      const { value } = await readTrust(host, file);
      const approved = own(own(value.approvals, await real(host, folder)), approvalKey(kind, name));
      return approved?.hash === approvalHash(wanted);
    },
    approve: async ({ folder, kind, name, value }) => {
      const hash = approvalHash(value);
      const path = await real(host, folder);
      const key = approvalKey(kind, name);
      const at = host.clock.now();
      return update(
        (record) => withApproval(record, path, key, hash, at),
        (record) => own(own(record.approvals, path), key)?.hash === hash,
      );
    },
    problem: async () => (await readTrust(host, file)).problem,
  };
}

function approvalHash(value: unknown): string {
  return createHash('sha256').update(stableJson(value)).digest('hex');
}

async function readTrust(host: Host, file: string): Promise<{ value: TrustRecord; problem: Problem | undefined }> {
  try {
    const found = await host.files.stat(file);
    const text = found === undefined ? undefined : (await host.files.read(file)).toString('utf8');
    const { value, damaged } = parseTrust(text);
    const message =
      'damaged: no folder is trusted. The next time you trust a folder, this file is set aside and a new one is written';
    return { value, problem: damaged ? { severity: 'warning', file, message } : undefined };
  } catch (error) {
    const reason = errorCode(error) ?? String(error);
    const message = `cannot read the file (${reason}): no folder is trusted`;
    return { value: parseTrust(undefined).value, problem: { severity: 'warning', file, message } };
  }
}

async function isCovered(host: Host, record: TrustRecord, folder: string): Promise<boolean> {
  const home = await real(host, personHome(host.env));
  for (const here of foldersUpward(folder)) {
    const exact = here === folder;
    if (Object.hasOwn(record.folders, here) && (exact || !contains(here, home))) return true;
    if (await isRepository(host, here)) return false;
  }
  return false;
}

/** Whether `outer` is `inner` or one of its parents. */
function contains(outer: string, inner: string): boolean {
  const path = relative(outer, inner);
  return path === '' || !(path === '..' || path.startsWith('../'));
}

/** The `.git` of a worktree or submodule is a file: it belongs to the surrounding repository. */
async function isRepository(host: Host, folder: string): Promise<boolean> {
  try {
    return (await host.files.lstat(join(folder, '.git')))?.kind === 'folder';
  } catch {
    return true;
  }
}

/** For a folder that does not exist yet, resolves its nearest existing parent. */
async function real(host: Host, folder: string): Promise<string> {
  try {
    return await host.files.realpath(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    return join(await real(host, dirname(folder)), folder.slice(dirname(folder).length));
  }
}

function approvalKey(kind: ApprovalKind, name: string): string {
  return `${kind}:${name}`;
}

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${stableJson(member)}`);
  return `{${members.join(',')}}`;
}

const recordSchema = once(() =>
  z.object({
    version: z.literal(1),
    folders: z.record(z.string(), z.object({ at: z.number() })),
    /** By folder, then by kind and name. */
    approvals: z.record(z.string(), z.record(z.string(), z.object({ hash: z.string(), at: z.number() }))),
  }),
);

type TrustRecord = z.infer<ReturnType<typeof recordSchema>>;

const NO_TRUST: TrustRecord = { version: 1, folders: {}, approvals: {} };

function parseTrust(text: string | undefined): { readonly value: TrustRecord; readonly damaged: boolean } {
  if (text === undefined) return { value: NO_TRUST, damaged: false };
  try {
    const parsed = recordSchema().safeParse(JSON.parse(text));
    return parsed.success ? { value: parsed.data, damaged: false } : { value: NO_TRUST, damaged: true };
  } catch {
    return { value: NO_TRUST, damaged: true };
  }
}

function withFolder(record: TrustRecord, folder: string, at: number): TrustRecord {
  return { ...record, folders: { ...record.folders, [folder]: { at } } };
}

function withoutFolder(record: TrustRecord, folder: string): TrustRecord {
  const { [folder]: _, ...folders } = record.folders;
  const { [folder]: __, ...approvals } = record.approvals;
  return { ...record, folders, approvals };
}

function withApproval(record: TrustRecord, folder: string, key: string, hash: string, at: number): TrustRecord {
  const approved = { ...record.approvals[folder], [key]: { hash, at } };
  return { ...record, approvals: { ...record.approvals, [folder]: approved } };
}

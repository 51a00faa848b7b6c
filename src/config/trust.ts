/** Stores which folders the user trusts, and what they approved there, in our home by real path (GT-2, GT-3). */

import { createHash } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod';
import { errorCode } from '../host/files.js';
import type { Host } from '../host/host.js';
import { once } from '../protocol/once.js';
import { foldersUpward } from './find-repo-root.js';
import { coppiceHome, trustFile, userHome } from './paths.js';
import type { Problem } from './problem.js';
import { type UpdateResult, updateJsonFile } from './update-json-file.js';

/**
 * Something in a project that runs automatically or widens permissions: a hook, an MCP server, a plugin, a skill's grants,
 * an agent that uses your own notes.
 */
export type Approval = {
  readonly kind: 'mcp' | 'hook' | 'plugin' | 'skill' | 'agent';
  /** Its location and name: `.claude/settings.json PreToolUse`. */
  readonly name: string;
  /** All of it: any change needs a new approval. Only its hash is stored; key order does not matter. */
  readonly value: unknown;
  /** A one-line summary, shown next to its replacement. */
  readonly summary: string;
};

/** The approvals of one project. */
export interface Approvals {
  /** True if exactly this was approved. */
  has(approval: Approval): boolean;
  /** The summaries of approvals under the same name, newest first. */
  earlier(approval: Approval): readonly string[];
}

/** Rules that your answers added to a project's local settings, and a stamp of the file at that time. */
export type Answered = { readonly file: string; readonly rules: readonly string[] };

export interface Trust {
  /**
   * A trusted folder covers its subfolders, except nested repositories (a clone added later asks again). The home
   * folder, its parents and `/` cover only themselves.
   */
  isTrusted(folder: string): Promise<boolean>;
  trust(folder: string): Promise<UpdateResult>;
  /** Revokes trust and approvals, and forgets the answers. */
  distrust(folder: string): Promise<UpdateResult>;
  /** For the project with this root. */
  approvals(projectRoot: string): Promise<Approvals>;
  approve(projectRoot: string, approvals: readonly Approval[]): Promise<UpdateResult>;
  answered(projectRoot: string): Promise<Answered | undefined>;
  /** Replaces the stored answers of the project. */
  saveAnswered(projectRoot: string, answered: Answered): Promise<UpdateResult>;
  /** The version of the meaning of rules that you were told about; 0 if none. */
  knownMeaning(): Promise<number>;
  saveMeaning(version: number): Promise<UpdateResult>;
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
    approvals: async (projectRoot) => {
      const { value } = await readTrust(host, file);
      return approvalsIn(own(value.approvals, await real(host, projectRoot)) ?? {});
    },
    approve: async (projectRoot, approvals) => {
      const path = await real(host, projectRoot);
      const at = host.clock.now();
      const added = Object.fromEntries(
        approvals.map((one) => [
          approvalHash(one),
          { kind: one.kind, name: one.name, summary: one.summary.slice(0, LONGEST_SUMMARY), at },
        ]),
      );
      return update(
        (record) => withApprovals(record, path, added),
        (record) => Object.keys(added).every((hash) => own(own(record.approvals, path), hash) !== undefined),
      );
    },
    answered: async (projectRoot) => own((await readTrust(host, file)).value.answered, await real(host, projectRoot)),
    saveAnswered: async (projectRoot, answered) => {
      const path = await real(host, projectRoot);
      const stored = { file: answered.file, rules: [...answered.rules] };
      return update(
        (record) => ({ ...record, answered: { ...record.answered, [path]: stored } }),
        (record) => own(record.answered, path)?.file === stored.file,
      );
    },
    knownMeaning: async () => (await readTrust(host, file)).value.meaning ?? 0,
    saveMeaning: async (meaning) =>
      update(
        (record) => ({ ...record, meaning }),
        (record) => record.meaning === meaning,
      ),
    problem: async () => (await readTrust(host, file)).problem,
  };
}

const LONGEST_SUMMARY = 500;

function approvalsIn(approved: StoredApprovals): Approvals {
  return {
    has: (approval) => own(approved, approvalHash(approval)) !== undefined,
    earlier: ({ kind, name }) =>
      Object.values(approved)
        .filter((one) => one.kind === kind && one.name === name)
        .sort((a, b) => b.at - a.at)
        .map(({ summary }) => summary),
  };
}

export function approvalHash({ kind, name, value }: Approval): string {
  return createHash('sha256').update(stableJson({ kind, name, value })).digest('hex');
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
  // If the home is unknown, no folder covers another: any of them could be a parent of it.
  const home = await real(host, userHome(host.env)).catch(() => undefined);
  for (const here of foldersUpward(folder)) {
    const exact = here === folder;
    if (Object.hasOwn(record.folders, here) && (exact || (home !== undefined && !contains(here, home)))) return true;
    if (await isRepository(host, here)) return false;
  }
  return false;
}

/** True if `outer` is `inner` or one of its parents. */
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

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`;
  // YAML has more kinds of values than JSON, and each must hash differently.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Date) return `date ${value.getTime()}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value);
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
    /** By the project's root, then by hash. */
    approvals: z.record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          kind: z.enum(['mcp', 'hook', 'plugin', 'skill', 'agent']),
          name: z.string(),
          summary: z.string(),
          at: z.number(),
        }),
      ),
    ),
    /** By the project's root. Older versions did not write it. */
    answered: z.record(z.string(), z.object({ file: z.string(), rules: z.array(z.string()) })).optional(),
    /** The meaning of rules that a notice explained. */
    meaning: z.number().optional(),
  }),
);

type StoredApprovals = TrustRecord['approvals'][string];

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
  const { [folder]: ___, ...answered } = record.answered ?? {};
  return { ...record, folders, approvals, answered };
}

function withApprovals(record: TrustRecord, folder: string, added: StoredApprovals): TrustRecord {
  const approved = { ...own(record.approvals, folder), ...added };
  return { ...record, approvals: { ...record.approvals, [folder]: approved } };
}

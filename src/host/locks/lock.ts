/**
 * A lock file that names its owner process. If the owner is dead, exactly one other process takes the lock over; if the
 * owner may be alive, none does.
 *
 * A process claims a dead owner's lock with a second file, `<lock>.next-<token>`, which only one process can create.
 * From then on, the claim is the lock, so that a claimant that dies can be succeeded in the same way.
 */

import { basename, dirname, join } from 'node:path';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Failure } from '../../protocol/result.js';
import { errorCode } from '../files.js';
import type { Host } from '../host.js';
import { checkAlive, identifyOwnProcess, type ProcessIdentity } from './process-identity.js';

type LockOwner = ProcessIdentity & { readonly token: string; readonly since: string };

export interface Lock {
  readonly token: string;
  /** Removes the lock if we still hold it. Never throws; returns false if it could not be removed. */
  release(): Promise<boolean>;
}

export type LockHeld = Failure & {
  /** Held by a living process, by one whose state is unknown, or the file system failed. */
  readonly kind: 'held' | 'doubtful' | 'failed';
  readonly owner?: LockOwner;
  /** The error of the file system. */
  readonly cause?: unknown;
};

export type LockAttempt =
  /** `wasDead`: it was taken over from a process that died. */
  { readonly ok: true; readonly lock: Lock; readonly wasDead: boolean } | LockHeld;

/** A round is lost only to another process that made progress. */
const MAX_ROUNDS = 50;

export async function takeLock(host: Host, path: string): Promise<LockAttempt> {
  try {
    const own = await identifyOwnProcess(host);
    const owner: LockOwner = { ...own, token: host.newId(), since: new Date(host.clock.now()).toISOString() };
    const draft = `${path}.${owner.token}.tmp`;
    await host.files.replace(draft, `${JSON.stringify(owner)}\n`, 0o600);
    try {
      return await contend(host, path, draft, owner);
    } finally {
      await host.files.remove(draft).catch(() => {});
    }
  } catch (error) {
    // Without write access, the holder can still be read.
    const held = await inspectLock(host, path);
    if (held !== 'free' && held.kind === 'held') return held;
    return { ok: false, kind: 'failed', reason: `cannot create ${path}: ${reasonOf(error)}`, cause: error };
  }
}

/** Returns who holds the lock, without taking it. */
export async function inspectLock(host: Host, path: string): Promise<LockHeld | 'free'> {
  try {
    const found = await findHolder(host, path);
    if (found === 'none') return 'free';
    if (found === 'unreadable') return doubtful(path);
    return judge(host, path, found.holder, await identifyOwnProcess(host));
  } catch (error) {
    return { ok: false, kind: 'failed', reason: `cannot read ${path}: ${reasonOf(error)}` };
  }
}

async function contend(host: Host, path: string, draft: string, owner: LockOwner): Promise<LockAttempt> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (await makeOnce(host, draft, path)) {
      return { ok: true, lock: ownedLock(host, path, owner, false), wasDead: false };
    }
    const found = await findHolder(host, path);
    if (found === 'none') continue;
    if (found === 'unreadable') {
      // Without hard links, a lock is created before it is written: its owner may not have written it yet.
      if (round < 5) {
        await host.clock.sleep(20);
        continue;
      }
      return doubtful(path);
    }
    const held = await judge(host, path, found.holder, owner);
    if (held !== 'free') return held;
    if (await succeed(host, path, draft, found, owner)) {
      return { ok: true, lock: ownedLock(host, path, owner, true), wasDead: true };
    }
  }
  return { ok: false, kind: 'doubtful', reason: `the owner of ${path} changes too often; try again` };
}

type Holder = {
  /** The token in the lock file itself. */
  readonly first: string;
  /** The last process that took the lock over. */
  readonly holder: LockOwner;
  readonly claims: readonly string[];
};

async function findHolder(host: Host, path: string): Promise<Holder | 'none' | 'unreadable'> {
  const owner = await readOwner(host, path);
  if (typeof owner === 'string') return owner;
  let holder = owner;
  const claims: string[] = [];
  for (;;) {
    const claim = claimPath(path, holder.token);
    const next = await readOwner(host, claim);
    if (next === 'none') return { first: owner.token, holder, claims };
    if (next === 'unreadable') return 'unreadable';
    claims.push(claim);
    holder = next;
  }
}

async function judge(host: Host, path: string, holder: LockOwner, own: ProcessIdentity): Promise<LockHeld | 'free'> {
  switch (await checkAlive(host, holder, own)) {
    case 'dead':
      return 'free';
    case 'alive':
      return { ok: false, kind: 'held', owner: holder, reason: `held by process ${holder.pid} since ${holder.since}` };
    case 'unknown':
      return {
        ok: false,
        kind: 'doubtful',
        owner: holder,
        reason: `held by process ${holder.pid} since ${holder.since}, whose state is unknown here; if it no longer runs, remove ${path}`,
      };
  }
}

/** Takes over from a dead holder. Returns false if another process was faster. */
async function succeed(host: Host, path: string, draft: string, found: Holder, owner: LockOwner): Promise<boolean> {
  const claim = claimPath(path, found.holder.token);
  if (!(await makeOnce(host, draft, claim))) return false;
  // A faster process may have written its own lock and removed its claim before we created ours.
  const now = await readOwner(host, path).catch(() => 'unreadable' as const);
  if (typeof now === 'string' || now.token !== found.first) {
    await host.files.remove(claim).catch(() => {});
    return false;
  }
  // From here on, the claim is ours. Any claims that cleanup leaves behind still lead to us.
  await tidy(host, path, owner, [claim, ...found.claims]).catch(() => {});
  return true;
}

/** Writes our name into the lock before it removes the claims: a reader in between finds us or notices the change. */
async function tidy(host: Host, path: string, owner: LockOwner, claims: readonly string[]): Promise<void> {
  await host.files.replace(path, `${JSON.stringify(owner)}\n`, 0o600);
  for (const claim of claims) await host.files.remove(claim);
}

function ownedLock(host: Host, path: string, owner: LockOwner, wasDead: boolean): Lock {
  return {
    token: owner.token,
    release: async () => {
      try {
        const found = await findHolder(host, path);
        if (typeof found === 'string') return found === 'none';
        if (found.holder.token !== owner.token) return true;
        if (found.claims.length > 0) await tidy(host, path, owner, found.claims);
        if (wasDead) await removeStaleClaims(host, path, owner);
        await host.files.remove(path);
        return true;
      } catch {
        return false;
      }
    },
  };
}

/**
 * Removes claims of earlier owners, which lead nowhere once the lock names us: a process that was killed right after losing
 * its claim left them behind. A claim that is just being made is abandoned by its maker, who sees our name.
 */
async function removeStaleClaims(host: Host, path: string, owner: LockOwner): Promise<void> {
  const own = basename(claimPath(path, owner.token));
  const prefix = basename(claimPath(path, ''));
  for (const { name } of await host.files.list(dirname(path))) {
    if (name.startsWith(prefix) && name !== own) await host.files.remove(join(dirname(path), name));
  }
}

/** Creates `path` atomically with the draft's content. Returns false if it exists. */
async function makeOnce(host: Host, draft: string, path: string): Promise<boolean> {
  try {
    await host.files.link(draft, path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    if (code === undefined || !NO_LINKS.has(code)) throw error;
  }
  try {
    await host.files.create(path, await host.files.read(draft));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL']);

async function readOwner(host: Host, path: string): Promise<LockOwner | 'none' | 'unreadable'> {
  let content: string;
  try {
    content = (await host.files.read(path)).toString('utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'none';
    throw error;
  }
  try {
    const { pid, started, boot, space, token, since } = JSON.parse(content) as Record<string, unknown>;
    // The token becomes part of a file name.
    if (typeof pid !== 'number' || typeof token !== 'string' || !/^[\w-]{8,64}$/.test(token)) return 'unreadable';
    return { pid, started: asText(started), boot: asText(boot), space: asText(space), token, since: String(since) };
  } catch {
    return 'unreadable';
  }
}

function doubtful(path: string): LockHeld {
  return { ok: false, kind: 'doubtful', reason: `${path} is not readable; if no other process uses it, remove it` };
}

function claimPath(path: string, token: string): string {
  return `${path}.next-${token}`;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Tracks which agents of this process work in which worktree (WT-8). Each of them holds a lease; the last to release it
 * settles the worktree. Between processes, the use lock shows the owner.
 */

import { reasonOf } from '../../protocol/reason-of.js';
import type { Failure } from '../../protocol/result.js';
import type { Checkout } from '../git/checkout.js';
import type { Host } from '../host.js';
import { type Lock, type LockAttempt, takeLock } from '../locks/lock.js';
import { lockForUse, unlockUnused } from './git-lock.js';
import { type Located, locateWorktree } from './locate-worktree.js';
import { removeWorktree } from './remove-worktree.js';
import { isWorktreeName, NAME_RULE, openRecords, useLock, type WorktreeRecord } from './worktree-record.js';

/** `reasons`, for people: why it was kept. `in-use`: others still hold it here. */
export type Settled = {
  readonly outcome: 'kept' | 'removed' | 'gone' | 'in-use';
  readonly reasons: readonly string[];
};

export type Reopened =
  | { readonly ok: true; readonly record: WorktreeRecord }
  /** `gone`: it no longer exists and will not come back. */
  | (Failure & { readonly gone: boolean });

export type LeaseOptions = {
  /** Called before git removes one. */
  readonly beforeRemoval?: (path: string) => Promise<void>;
};

type Held = {
  readonly checkout: Checkout;
  readonly record: WorktreeRecord;
  readonly use: Lock;
  readonly holders: Set<string>;
  /** Holders whose run was interrupted: they may be resumed, so the worktree is not removed. */
  readonly interrupted: Set<string>;
  /** The last holder has released it: no one can join any more. */
  isSettling: boolean;
};

export class WorktreeLeases {
  readonly #host: Host;
  readonly #options: LeaseOptions;
  readonly #held = new Map<string, Held>();
  /** Pending operations by worktree: they run one after another. */
  readonly #pending = new Map<string, Promise<unknown>>();

  constructor(host: Host, options: LeaseOptions = {}) {
    this.#host = host;
    this.#options = options;
  }

  adopt(checkout: Checkout, made: { readonly record: WorktreeRecord; readonly use: Lock }, holder: string): void {
    const { record, use } = made;
    const held = {
      checkout,
      record,
      use,
      holders: new Set([holder]),
      interrupted: new Set<string>(),
      isSettling: false,
    };
    this.#held.set(keyOf(checkout.commonDir, record.name), held);
  }

  /** Acquires it again: takes its locks, and touches the record, so that no cleanup removes it. Never rejects. */
  reopen(checkout: Checkout, name: string, holder: string): Promise<Reopened> {
    if (!isWorktreeName(name)) {
      return Promise.resolve(refuse(false, `${JSON.stringify(name)} is not the name of a worktree: ${NAME_RULE}`));
    }
    const { commonDir } = checkout;
    return this.#inOrder(keyOf(commonDir, name), async () => {
      const held = this.#held.get(keyOf(commonDir, name));
      if (held !== undefined && this.join(commonDir, name, holder)) return { ok: true, record: held.record };
      try {
        return await this.#acquire(checkout, name, holder);
      } catch (error) {
        return refuse(false, `the worktree ${name} can't be used: ${reasonOf(error)}`);
      }
    });
  }

  /** Adds a holder to a worktree in use here. Returns false if it is not in use. */
  join(commonDir: string, name: string, holder: string): boolean {
    const held = this.#held.get(keyOf(commonDir, name));
    if (held === undefined || held.isSettling) return false;
    held.holders.add(holder);
    held.interrupted.delete(holder);
    return true;
  }

  /**
   * `settle`: its run has ended; `keep`: it was interrupted and may be resumed. The last holder settles the worktree:
   * it is removed if it contains no work and no holder was interrupted. Never rejects.
   */
  release(commonDir: string, name: string, holder: string, how: 'settle' | 'keep'): Promise<Settled> {
    const key = keyOf(commonDir, name);
    return this.#inOrder(key, async () => {
      const held = this.#held.get(key);
      if (held === undefined || !held.holders.delete(holder)) {
        return { outcome: held === undefined ? 'kept' : 'in-use', reasons: [`${holder} does not hold ${name}`] };
      }
      if (how === 'keep') held.interrupted.add(holder);
      if (held.holders.size > 0) {
        return { outcome: 'in-use', reasons: [`it is still used by ${[...held.holders].join(', ')}`] };
      }
      held.isSettling = true;
      try {
        return await this.#settle(held);
      } catch (error) {
        return { outcome: 'kept', reasons: [reasonOf(error)] };
      } finally {
        this.#held.delete(key);
        await held.use.release();
      }
    });
  }

  async #acquire(checkout: Checkout, name: string, holder: string): Promise<Reopened> {
    const host = this.#host;
    const records = openRecords(host, checkout.commonDir);
    if ((await records.read(name)) === undefined) return noneNamed(name);
    const taken = await takeUse(host, useLock(checkout.commonDir, name));
    if (!taken.ok) return refuse(false, `the worktree ${name} is in use: ${taken.reason}`);
    let isTaken = false;
    try {
      const record = await records.read(name);
      if (record === undefined) return noneNamed(name);
      const place =
        record.madeBy === 'hook'
          ? await this.#inspectHookMade(record)
          : await this.#inspect(checkout, record, taken.lock);
      if (place.kind === 'none') return refuse(place.gone, place.reason);
      await records.touch(name);
      if (place.gitDir !== undefined) {
        await lockForUse(host, checkout.git, { path: record.path, gitDir: place.gitDir }, record.owner);
      }
      this.adopt(checkout, { record, use: taken.lock }, holder);
      isTaken = true;
      return { ok: true, record };
    } finally {
      if (!isTaken) await taken.lock.release();
    }
  }

  async #inspectHookMade({ path }: WorktreeRecord): Promise<Place> {
    const isThere = (await this.#host.files.stat(path))?.kind === 'folder';
    return isThere
      ? { kind: 'there', gitDir: undefined }
      : { kind: 'none', gone: true, reason: `${path} is not there any more` };
  }

  async #inspect(checkout: Checkout, record: WorktreeRecord, use: Lock): Promise<Place> {
    if (record.stage !== 'made') return this.#clearHalf(checkout, record, use);
    const located = await locateWorktree(this.#host, checkout.commonDir, record);
    if (located.kind === 'here' && located.link === 'right') return { kind: 'there', gitDir: located.gitDir };
    return { kind: 'none', gone: isGone(located), reason: describePlace(record, located) };
  }

  /** A process was killed while making or removing it: it is removed now, unless it contains work. */
  async #clearHalf(checkout: Checkout, record: WorktreeRecord, use: Lock): Promise<Place> {
    const removal = await removeWorktree(this.#host, checkout, record.name, { use });
    if (removal.kind !== 'kept') return { kind: 'none', gone: true, reason: `${record.path} was not made whole` };
    return { kind: 'none', gone: false, reason: `${record.path} is not whole: ${removal.reasons.join('; ')}` };
  }

  async #settle({ checkout, record, use, interrupted }: Held): Promise<Settled> {
    const mayGo = interrupted.size === 0 && record.madeBy === 'git';
    if (!mayGo) {
      await this.#unlock(checkout, record);
      const who = [...interrupted].join(', ');
      const why = record.madeBy === 'hook' ? 'it was made by a WorktreeCreate hook' : `${who} can go on in it`;
      return { outcome: 'kept', reasons: [why] };
    }
    const { beforeRemoval } = this.#options;
    const hook = async (path: string) => {
      await beforeRemoval?.(path);
      return { ok: true };
    };
    const removal = await removeWorktree(this.#host, checkout, record.name, {
      use,
      ...(beforeRemoval === undefined ? {} : { hook }),
    });
    if (removal.kind === 'removed') return { outcome: 'removed', reasons: [] };
    await this.#unlock(checkout, record);
    if (removal.kind === 'gone') return { outcome: 'gone', reasons: removal.note === undefined ? [] : [removal.note] };
    return { outcome: 'kept', reasons: removal.reasons };
  }

  /** Removes git's lock and updates the time of its last use. */
  async #unlock(checkout: Checkout, record: WorktreeRecord): Promise<void> {
    await openRecords(this.#host, checkout.commonDir).touch(record.name);
    if (record.madeBy === 'git') await unlockUnused(this.#host, checkout, record);
  }

  #inOrder<T>(key: string, work: () => Promise<T>): Promise<T> {
    const next = (this.#pending.get(key) ?? Promise.resolve()).then(work);
    const settled = next.catch(() => {});
    this.#pending.set(key, settled);
    void settled.then(() => {
      if (this.#pending.get(key) === settled) this.#pending.delete(key);
    });
    return next;
  }
}

type Place =
  | { readonly kind: 'there'; readonly gitDir: string | undefined }
  | { readonly kind: 'none'; readonly gone: boolean; readonly reason: string };

/** Another process may hold it briefly to check whether it should be cleaned up. */
async function takeUse(host: Host, path: string): Promise<LockAttempt> {
  for (let tried = 1; ; tried += 1) {
    const attempt = await takeLock(host, path);
    if (attempt.ok || attempt.kind !== 'held' || tried === TRIES) return attempt;
    await host.clock.sleep(BETWEEN_TRIES_MS);
  }
}

const TRIES = 15;
const BETWEEN_TRIES_MS = 100;

function isGone({ kind }: Located): boolean {
  return kind === 'missing' || kind === 'nothing';
}

function describePlace({ path }: WorktreeRecord, located: Located): string {
  if (isGone(located)) return `${path} is not there any more`;
  if (located.kind === 'moved') return `${path} was moved to ${located.path}`;
  return located.kind === 'damaged' ? located.reason : `${path} is not a worktree any more`;
}

function noneNamed(name: string): Reopened {
  return refuse(true, `there is no worktree named ${name} any more`);
}

function refuse(gone: boolean, reason: string): Reopened {
  return { ok: false, gone, reason };
}

function keyOf(commonDir: string, name: string): string {
  return `${commonDir}\0${name}`;
}

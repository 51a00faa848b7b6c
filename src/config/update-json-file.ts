/**
 * Changes a small JSON file that several processes may change at once, without losing a change. Takes a lock file with
 * O_EXCL, replaces the content atomically, and then verifies that the change is there.
 */

import { dirname } from 'node:path';
import { errorCode } from '../host/files.js';
import type { Host } from '../host/host.js';
import { readRegularFile } from '../host/read-regular-file.js';
import { reasonOf } from '../protocol/reason-of.js';
import type { Result } from '../protocol/result.js';

export type JsonUpdate<T> = {
  /** Parses the file's text (undefined if there is no file). Must not throw: it reports a damaged text as `damaged`. */
  parse(text: string | undefined): { readonly value: T; readonly damaged: boolean };
  /** Returns the new content. May be called again if another process interferes, so it must be idempotent. */
  change(value: T): T;
  /** True if the content contains the change. */
  holds(value: T): boolean;
};

/** `setAside`: where a damaged file was moved to. */
export type UpdateResult = Result<{ readonly setAside?: string }>;

/** A change takes milliseconds: an older lock belongs to a dead process. */
const STALE_MS = 10_000;
const WAIT_MS = 15;
const GIVE_UP_MS = 60_000;
const MAX_BYTES = 16 * 1024 * 1024;

export async function updateJsonFile<T>(host: Host, file: string, update: JsonUpdate<T>): Promise<UpdateResult> {
  const begun = host.clock.elapsed();
  try {
    await host.files.makeFolder(dirname(file), 0o700);
    while (host.clock.elapsed() - begun < GIVE_UP_MS) {
      const lock = await takeLock(host, `${file}.lock`);
      if (lock === undefined) {
        await host.clock.sleep(WAIT_MS);
        continue;
      }
      const done = await changeOnce(host, file, update, lock).finally(() => lock.release());
      if (done !== undefined) return done;
    }
    return { ok: false, reason: `another process is changing ${file}: if there is none, remove ${file}.lock` };
  } catch (error) {
    return { ok: false, reason: `cannot change ${file}: ${reasonOf(error)}` };
  }
}

/** Returns undefined if our lock was lost: the caller starts again. */
async function changeOnce<T>(
  host: Host,
  file: string,
  update: JsonUpdate<T>,
  lock: Lock,
): Promise<UpdateResult | undefined> {
  const { value, damaged } = update.parse(await readText(host, file));
  let setAside: string | undefined;
  if (damaged) {
    setAside = `${file}.damaged-${host.newId()}`;
    await host.files.rename(file, setAside);
  }
  if (!(await lock.isOurs())) return undefined;
  await host.files.replace(file, `${JSON.stringify(update.change(value), null, 2)}\n`, 0o600);
  if (!(await lock.isOurs())) return undefined;
  const after = update.parse(await readText(host, file));
  if (!update.holds(after.value)) return undefined;
  return setAside === undefined ? { ok: true } : { ok: true, setAside };
}

type Lock = { isOurs(): Promise<boolean>; release(): Promise<void> };

async function takeLock(host: Host, path: string): Promise<Lock | undefined> {
  const token = host.newId();
  try {
    await host.files.create(path, token);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    await breakStaleLock(host, path);
    return undefined;
  }
  const isOurs = async () => (await readText(host, path)) === token;
  return {
    isOurs,
    release: async () => {
      if (await isOurs()) await host.files.remove(path);
    },
  };
}

/** Renames the lock instead of removing it: only one process succeeds, and a fresh lock can be put back. */
async function breakStaleLock(host: Host, path: string): Promise<void> {
  const found = await host.files.lstat(path);
  if (found === undefined || host.clock.now() - found.mtimeMs < STALE_MS) return;
  const stale = await readText(host, path);
  const aside = `${path}.${host.newId()}`;
  try {
    await host.files.rename(path, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  const moved = await readText(host, aside);
  if (moved !== stale && moved !== undefined) await host.files.create(path, moved).catch(() => {});
  await host.files.remove(aside);
}

async function readText(host: Host, file: string): Promise<string | undefined> {
  const found = await readRegularFile(host.files, file, { most: MAX_BYTES });
  if (found.kind === 'refused') throw new Error(found.reason);
  return found.kind === 'absent' ? undefined : found.bytes.toString('utf8');
}

/**
 * Changes a small JSON file of ours that several processes may change at once, so that no change is lost: a lock file
 * made with O_EXCL, the new content put in place whole, and a look afterwards whether our change is really there.
 */

import { dirname } from 'node:path';
import { errorCode } from '../host/files.js';
import type { Host } from '../host/host.js';
import { reasonOf } from '../protocol/reason-of.js';

export type JsonUpdate<T> = {
  /** The content from the file's text; undefined when there is no file. Throws nothing: a damaged text is its to judge. */
  parse(text: string | undefined): { readonly value: T; readonly damaged: boolean };
  /** The new content. Applied again if another process got in between, so it must not depend on how often it is called. */
  change(value: T): T;
  /** Whether the change is in there. */
  holds(value: T): boolean;
};

export type UpdateResult =
  | { readonly ok: true /** Where a damaged file was put. */; readonly setAside?: string }
  | { readonly ok: false; readonly reason: string };

/** A change takes milliseconds: a lock this old belongs to a process that died. */
const STALE_MS = 10_000;
const WAIT_MS = 15;
const GIVE_UP_MS = 60_000;

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
    return { ok: false, reason: `${file} is being changed by another process: remove ${file}.lock if there is none` };
  } catch (error) {
    return { ok: false, reason: `${file} can't be changed: ${reasonOf(error)}` };
  }
}

/** Undefined when our lock was taken from us on the way: the caller begins anew. */
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

/** Moved away rather than removed, so that only one process gets it, and a fresh lock taken by mistake is put back. */
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
  try {
    return (await host.files.read(file)).toString('utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A machine whose N-th file call goes wrong, once or from then on. Every call counts, those on open files too. */

import type { AppendHandle, Files, SyncFiles } from '../../../src/host/files.js';
import type { Host } from '../../../src/host/host.js';
import { type Around, wrapAppend, wrapFiles } from './wrap-files.js';

export type FaultPlan = {
  /** The first call is 1; 0: none goes wrong. */
  readonly at: number;
  readonly lasting: boolean;
  /** `torn`: half of what is written arrives, then EIO. `short`: half arrives, and the count says so. */
  readonly fault: 'EIO' | 'ENOSPC' | 'torn' | 'short';
};

export type FaultyHost = { readonly host: Host; calls(): number };

export const NO_FAULT: FaultPlan = { at: 0, lasting: false, fault: 'EIO' };

export function faultyHost(real: Host, plan: FaultPlan): FaultyHost {
  let calls = 0;
  const isDue = () => {
    calls += 1;
    return plan.at > 0 && (plan.lasting ? calls >= plan.at : calls === plan.at);
  };
  const fail = () => {
    const code = plan.fault === 'ENOSPC' ? 'ENOSPC' : 'EIO';
    throw Object.assign(new Error(`${code}: made up`), { code });
  };
  /** Anything but a write can't be short. */
  const guard: Around = async (call) => {
    if (isDue() && plan.fault !== 'short') fail();
    return call();
  };
  const write = (handle: AppendHandle) => async (bytes: Uint8Array) => {
    if (!isDue()) return handle.write(bytes);
    if (plan.fault === 'EIO') fail();
    const written = await handle.write(bytes.subarray(0, Math.ceil(bytes.length / 2)));
    if (plan.fault !== 'short') fail();
    return written;
  };
  const append = (handle: AppendHandle) => ({ ...wrapAppend(handle, guard), write: write(handle) });
  const guardNow =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      if (isDue() && plan.fault !== 'short') fail();
      return call(...args);
    };
  const looking = (looker: SyncFiles): SyncFiles => ({
    lstat: guardNow(looker.lstat),
    realpath: guardNow(looker.realpath),
    readLink: guardNow(looker.readLink),
    list: guardNow(looker.list),
    read: guardNow(looker.read),
  });
  const faulty: Files = { ...wrapFiles(real.files, guard, append), sync: looking(real.files.sync) };
  const host: Host = { ...real, files: faulty, at: (folder) => ({ ...real.at(folder), files: faulty }) };
  return { host, calls: () => calls };
}

/** A machine that never waits for the disk: for tests that write much and lose no power. */
export function withoutSync(real: Host): Host {
  const openAppend = async (path: string) => ({ ...(await real.files.openAppend(path)), sync: async () => {} });
  return { ...real, files: { ...real.files, openAppend } };
}

/** What this process keeps on disk for the sandbox: a folder of its own with claims and the commands' `/tmp`. */

import { join } from 'node:path';
import { errorCode } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { findAppeared } from './check-after.js';
import { clearAfterCrash, openStubs, removeTree, type Stubs } from './stubs.js';

export type SandboxState = {
  readonly stubs: Stubs;
  /** What commands see as `/tmp`: the same for all of them, gone with this process. */
  readonly temporary: string;
  /** For the probe. */
  readonly scratch: string;
  /** About what a killed process left. */
  readonly notes: readonly string[];
  remove(): Promise<void>;
};

/** `home` is our home, links resolved. */
export async function openState(host: Host, home: string): Promise<SandboxState> {
  const state = stateFolder(home);
  await host.files.makeFolder(state, 0o700);
  const notes = await clearLeftovers(host, home);
  const folder = join(state, host.newId());
  const stubs = await openStubs(host, state, folder);
  const temporary = join(folder, 'tmp');
  const scratch = join(folder, 'scratch');
  await host.files.makeFolder(temporary, 0o700);
  await host.files.makeFolder(scratch, 0o700);
  return { stubs, temporary, scratch, notes, remove: () => removeTree(host, folder) };
}

/**
 * Removes the stubs of processes that were killed. What appeared in the folders they worked in is only named: it may have
 * been made by the person since. Cheap when there is nothing; to be called at every start, sandbox or not.
 */
export async function clearLeftovers(host: Host, home: string): Promise<readonly string[]> {
  const notes: string[] = [];
  try {
    for (const { watched } of await clearAfterCrash(host, stateFolder(home))) {
      for (const path of await findAppeared(host, { watched, excepted: [] })) {
        notes.push(
          `${path} appeared during or after a sandboxed command that was cut off: look at it before you use it`,
        );
      }
    }
  } catch (error) {
    notes.push(`what an interrupted sandbox left could not be cleared: ${errorCode(error) ?? String(error)}`);
  }
  return notes;
}

function stateFolder(home: string): string {
  return join(home, 'sandbox');
}

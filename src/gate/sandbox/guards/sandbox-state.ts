/** What this process keeps on disk for the sandbox: its own folder with claims and the commands' `/tmp`. */

import { join } from 'node:path';
import { errorCode } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import { removeTree } from '../remove-tree.js';
import { findAppeared } from './check-after.js';
import { clearAfterCrash, openStubs, type Stubs } from './stubs.js';

export type SandboxState = {
  readonly stubs: Stubs;
  /** What commands see as `/tmp`: shared by all of them, removed with this process. */
  readonly temporary: string;
  /** Copies of branches, for commands in worktrees. */
  readonly branches: string;
  remove(): Promise<void>;
};

/** `home` is our home, with links resolved. */
export async function openState(host: Host, home: string): Promise<SandboxState> {
  const state = stateFolder(home);
  await host.files.makeFolder(state, 0o700);
  const folder = join(state, host.newId());
  const stubs = await openStubs(host, state, folder);
  const temporary = join(folder, 'tmp');
  await host.files.makeFolder(temporary, 0o700);
  return {
    stubs,
    temporary,
    branches: join(folder, 'branches'),
    remove: () => removeTree(host, folder),
  };
}

/**
 * Removes the stubs of killed processes. What appeared in their working folders is only reported, because the person
 * may have created it since. Cheap if there is nothing to do; call it at every start, with or without a sandbox.
 */
export async function clearLeftovers(host: Host, home: string): Promise<readonly string[]> {
  const notes: string[] = [];
  try {
    for (const { watched } of await clearAfterCrash(host, stateFolder(home))) {
      for (const path of await findAppeared(host, { watched, excepted: [] })) {
        notes.push(
          `${path} appeared during or after a confined command that was interrupted: check it before you use it`,
        );
      }
    }
  } catch (error) {
    notes.push(`leftovers of an interrupted sandbox could not be removed: ${errorCode(error) ?? String(error)}`);
  }
  return notes;
}

function stateFolder(home: string): string {
  return join(home, 'sandbox');
}

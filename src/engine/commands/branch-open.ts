/** Copies the open session under a new id, so that the caller can resume the copy. */

import type { Runtime } from '../../agents/runtime.js';
import { isFileName } from '../../config/paths.js';
import { branchSession } from '../open/branch-session.js';
import type { Branched } from './command-results.js';

/** Nothing else runs meanwhile. */
export async function branchOpen({ host, layout, layoutOf }: Runtime, name?: string): Promise<Branched> {
  const id = name ?? host.newId();
  // `latest` means the newest session wherever an id is given.
  if (!isFileName(id) || id === 'latest') {
    return { ok: false, reason: `"${id}" is not a valid session name: use letters, digits, ., _ and -` };
  }
  const fresh = layoutOf(id);
  if ((await host.files.stat(fresh.file)) !== undefined) {
    return { ok: false, reason: `session ${id} already exists: choose another name` };
  }
  const copied = await branchSession(host, layout, fresh);
  return copied.ok ? { ok: true, session: id } : { ok: false, reason: copied.reason };
}

/** A copy of the session that is open, under an id of its own: whoever asked for it can resume it. */

import type { Runtime } from '../../agents/runtime.js';
import { isFileName } from '../../config/paths.js';
import { branchSession } from '../open/branch-session.js';
import type { Branched } from './command-results.js';

/** Nothing works meanwhile. */
export async function branchOpen({ host, layout, layoutOf }: Runtime, name?: string): Promise<Branched> {
  const id = name ?? host.newId();
  // `latest` means the newest session wherever an id is given.
  if (!isFileName(id) || id === 'latest') {
    return { ok: false, reason: `"${id}" can't be a session's name: use letters, digits, ., _ and -` };
  }
  const fresh = layoutOf(id);
  if ((await host.files.stat(fresh.file)) !== undefined) {
    return { ok: false, reason: `there is a session ${id} already; choose another name` };
  }
  const copied = await branchSession(host, layout, fresh);
  return copied.ok ? { ok: true, session: id } : { ok: false, reason: copied.reason };
}

/** Checks what a person may open for one command: the network, or paths to write to. */

import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Host } from '../../../host/host.js';
import type { Result } from '../../../protocol/result.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import type { Grant } from '../sandbox.js';

export type CheckedGrant = Result<{
  readonly network: boolean;
  /** Real paths. */
  readonly writable: readonly string[];
  /** Absent names in a root. Nothing must be opened for them: they just get no stub. */
  readonly names: readonly string[];
}>;

/** The person was shown a real path: what is a link now is something else. */
const MOVED = 'a link leads elsewhere now than when it was shown. Ask again.';
const NEVER = ['/proc', '/sys', '/dev', '/run'];

/** Only what exists can be opened, and exactly that: its folder would be more than the person was shown. */
export async function checkGrant(
  host: Host,
  grant: Grant,
  { roots, hidden }: { readonly roots: readonly string[]; readonly hidden: readonly string[] },
): Promise<CheckedGrant> {
  const writable: string[] = [];
  const names: string[] = [];
  for (const path of grant.writable ?? []) {
    const refuse = (reason: string): CheckedGrant => ({
      ok: false,
      reason: `The sandbox can't open ${path}: ${reason}`,
    });
    if (!isAbsolute(path)) return refuse('give an absolute path.');
    const real = await host.files.realpath(path).catch(() => undefined);
    if (real === undefined) {
      const name = await absentName(host, path);
      if (name === undefined || !roots.some((root) => isWithin(name, root))) {
        return refuse('it does not exist. Ask for the folder that should contain it.');
      }
      if (name !== path) return refuse(MOVED);
      names.push(name);
      continue;
    }
    if (real !== path) return refuse(MOVED);
    if (real === '/') return refuse('that is the whole machine. Ask for a specific folder.');
    if (NEVER.some((folder) => isWithin(real, folder))) return refuse('it is part of the running system.');
    if (hidden.some((folder) => isWithin(real, folder) || isWithin(folder, real))) {
      return refuse("it contains, or is inside, what is hidden from commands (this program's own state).");
    }
    writable.push(real);
  }
  return { ok: true, network: grant.network === true, writable, names };
}

/** Where an absent name would be created: its folder's real path and the name. A dangling link is not absent. */
async function absentName(host: Host, path: string): Promise<string | undefined> {
  const folder = await host.files.realpath(dirname(path)).catch(() => undefined);
  if (folder === undefined) return undefined;
  const name = join(folder, basename(path));
  return (await host.files.lstat(name)) === undefined ? name : undefined;
}

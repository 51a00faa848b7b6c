/** Which process of ours owns a state folder, and whether that process is still alive. Linux. */

import { join } from 'node:path';
import * as z from 'zod';
import type { Host } from '../../../host/host.js';

const ownerSchema = z.object({
  pid: z.string(),
  /** Start time in ticks since boot: process ids are reused, this pair is not. */
  started: z.string(),
  pidNamespace: z.string(),
  boot: z.string(),
});

type RunOwner = z.infer<typeof ownerSchema>;

const OWNER_FILE = 'owner.json';
/** The process may be in another container that shares the folder; then only age tells. */
const FOREIGN_MS = 24 * 60 * 60 * 1000;

export async function writeOwner(host: Host, folder: string): Promise<void> {
  const pid = await host.files.readLink('/proc/self');
  const owner: RunOwner = { pid, ...(await thisMachine(host)), started: (await startOf(host, pid)) ?? '' };
  await host.files.makeFolder(folder, 0o700);
  await host.files.create(join(folder, OWNER_FILE), JSON.stringify(owner));
}

export async function isOwnerAlive(host: Host, folder: string): Promise<boolean> {
  const file = join(folder, OWNER_FILE);
  const stat = await host.files.lstat(file);
  const age = async () => host.clock.now() - ((stat ?? (await host.files.lstat(folder)))?.mtimeMs ?? 0);
  const owner = await readOwner(host, file);
  // A folder without a readable owner may still be in creation.
  if (owner === undefined) return (await age()) < FOREIGN_MS;
  const here = await thisMachine(host);
  if (owner.boot !== here.boot) return false;
  if (owner.pidNamespace !== here.pidNamespace) return (await age()) < FOREIGN_MS;
  return (await startOf(host, owner.pid)) === owner.started;
}

async function readOwner(host: Host, file: string): Promise<RunOwner | undefined> {
  try {
    return ownerSchema.safeParse(JSON.parse((await host.files.read(file)).toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

async function thisMachine(host: Host): Promise<{ pidNamespace: string; boot: string }> {
  const boot = (await host.files.read('/proc/sys/kernel/random/boot_id')).toString('utf8').trim();
  return { boot, pidNamespace: await host.files.readLink('/proc/self/ns/pid') };
}

/** Undefined if there is no such process, or only a zombie. */
async function startOf(host: Host, pid: string): Promise<string | undefined> {
  try {
    const stat = (await host.files.read(`/proc/${pid}/stat`)).toString('utf8');
    // The name in parentheses may contain anything; the fields after it are counted from the state.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

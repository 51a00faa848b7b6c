/**
 * Servers that outlived us after a crash. Each started server is recorded with its pid, its start time and its owner; a
 * later start ends those whose owner is gone (MC-15). A pid that now belongs to another process is ignored.
 */

import { join } from 'node:path';
import { coppiceHome, runningServers } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import {
  checkAlive,
  identifyOwnProcess,
  identifyProcess,
  type ProcessIdentity,
} from '../../../host/locks/process-identity.js';

/** Set, with a unique value, in the environment of a server and everything it starts. */
export const SERVER_VARIABLE = 'COPPICE_MCP_SERVER';

export interface RecordedServer {
  /** Records its process. Never rejects. */
  began(pid: number): Promise<void>;
  /** Removes the record after its end. Never rejects. */
  remove(): Promise<void>;
}

/** Without `server`, we were killed right after its start. */
type Left = { readonly server?: ProcessIdentity; readonly tag: string; readonly owner: ProcessIdentity };

const GRACE_MS = 2_000;
const MOST_READ = 1_000;

/** Call it before the server starts. Never rejects: a server also runs where nothing can be written. */
export async function recordServer(
  host: Host,
  { name, tag }: { readonly name: string; readonly tag: string },
): Promise<RecordedServer> {
  try {
    const folder = recordFolder(host);
    const [owner] = await Promise.all([identifyOwnProcess(host), host.files.makeFolder(folder, 0o700)]);
    const file = join(folder, `${tag}.json`);
    const write = (server?: ProcessIdentity) =>
      host.files.replace(file, `${JSON.stringify({ name, server, tag, owner })}\n`, 0o600);
    await write();
    let isRemoved = false;
    return {
      began: async (pid) => {
        try {
          const server = await identifyProcess(host, pid);
          if (!isRemoved) await write(server);
        } catch {
          // It can still be found by its tag.
        }
      },
      remove: () => {
        isRemoved = true;
        return host.files.remove(file).catch(() => {});
      },
    };
  } catch {
    return { began: async () => {}, remove: async () => {} };
  }
}

/** Ends servers left by our dead processes. Returns the names of the servers. Never rejects. */
export async function endLeftServers(host: Host): Promise<readonly string[]> {
  try {
    const folder = recordFolder(host);
    const entries = await host.files.list(folder, MOST_READ).catch(() => []);
    const files = entries.filter(({ name }) => name.endsWith('.json')).map(({ name }) => join(folder, name));
    if (files.length === 0) return [];
    const own = await identifyOwnProcess(host);
    const ended = await Promise.all(files.map((file) => endLeft(host, file, own).catch(() => undefined)));
    return ended.filter((name) => name !== undefined);
  } catch {
    return [];
  }
}

async function endLeft(host: Host, file: string, own: ProcessIdentity): Promise<string | undefined> {
  const left = readLeft((await host.files.read(file)).toString('utf8'));
  if (left === undefined) {
    await host.files.remove(file);
    return undefined;
  }
  if ((await checkAlive(host, left.owner, own)) !== 'dead') return undefined;
  const { server } = left;
  const runs = server !== undefined && (await checkAlive(host, server, own)) === 'alive';
  if (runs) await host.processes.endGroup(server.pid, GRACE_MS);
  // The first process may have ended before those it started.
  const others = await host.processes.endByVariable(SERVER_VARIABLE, left.tag, GRACE_MS);
  await host.files.remove(file);
  return runs || others.length > 0 ? left.name : undefined;
}

function readLeft(text: string): (Left & { readonly name: string }) | undefined {
  try {
    const { name, server, tag, owner } = JSON.parse(text) as Record<string, unknown>;
    if (typeof name !== 'string' || typeof tag !== 'string' || tag.length < 8) return undefined;
    // A server's process group is never 0 or 1.
    if (!isIdentity(owner, 1)) return undefined;
    if (server === undefined) return { name, tag, owner };
    return isIdentity(server, 2) ? { name, server, tag, owner } : undefined;
  } catch {
    return undefined;
  }
}

function isIdentity(value: unknown, least: number): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null || !('pid' in value)) return false;
  return Number.isSafeInteger(value.pid) && (value.pid as number) >= least;
}

function recordFolder(host: Host): string {
  return runningServers(coppiceHome(host.env));
}

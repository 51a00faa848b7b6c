/** Lists the sockets that programs on this machine listen on, from the kernel's own list. */

import { isAbsolute, join } from 'node:path';
import type { Host } from '../../../host/host.js';

/** Real paths of those with a name in the file system. Never rejects: what can't be listed can't be reached by name. */
export async function findSockets(host: Host): Promise<readonly string[]> {
  const names = await listNames(host);
  const relative = names.filter((name) => !isAbsolute(name));
  const folders = relative.length === 0 ? [] : await workingFolders(host);
  const paths = [
    ...names.filter(isAbsolute),
    ...relative.flatMap((name) => folders.map((folder) => join(folder, name))),
  ];
  const found = new Set<string>();
  for (const path of new Set(paths)) {
    const real = lookFor(host, path);
    if (real !== undefined) found.add(real);
  }
  return [...found];
}

/** Names as given when the socket was created; abstract ones, which begin with `@`, belong to a network namespace. */
async function listNames(host: Host): Promise<readonly string[]> {
  const table = (await host.files.read('/proc/net/unix').catch(() => undefined))?.toString('utf8') ?? '';
  const names = table
    .split('\n')
    .slice(1)
    .map((line) => /^(?:\S+ +){6}\S+ (.+)$/.exec(line)?.[1] ?? '');
  return [...new Set(names)].filter((name) => name !== '' && !name.startsWith('@'));
}

/** The folders that relative names may start from. */
async function workingFolders(host: Host): Promise<readonly string[]> {
  const folders = new Set<string>();
  for (const { name } of await host.files.list('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const folder = await host.files.readLink(`/proc/${name}/cwd`).catch(() => undefined);
    if (folder !== undefined) folders.add(folder);
  }
  return [...folders];
}

const SOCKET = 0o140000;
const KIND = 0o170000;

function lookFor(host: Host, path: string): string | undefined {
  try {
    const real = host.files.sync.realpath(path);
    const mode = real === undefined ? 0 : (host.files.sync.lstat(real)?.mode ?? 0);
    return (mode & KIND) === SOCKET ? real : undefined;
  } catch {
    return undefined;
  }
}

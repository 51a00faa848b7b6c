/** What a session keeps beside its transcripts: frozen prefixes by hash, and output too long for the conversation. */

import { join } from 'node:path';
import type { Host } from '../host/host.js';

/** Stored once, before the first request that uses it. */
export async function keepPrefix(
  host: Host,
  folder: string,
  prefix: { readonly sha256: string; readonly bytes: Uint8Array },
): Promise<void> {
  const path = join(folder, 'prefixes', `${prefix.sha256}.json`);
  if ((await host.files.stat(path)) !== undefined) return;
  await host.files.makeFolder(join(folder, 'prefixes'), 0o700);
  await host.files.replace(path, prefix.bytes);
}

/** A new path for output; the folder is made, the file is not. */
export async function outputPath(host: Host, folder: string, name: string): Promise<string> {
  const results = join(folder, 'tool-results');
  await host.files.makeFolder(results, 0o700);
  return join(results, `${name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 80)}-${host.newId().slice(-12)}.txt`);
}

export async function keepOutput(
  host: Host,
  folder: string,
  name: string,
  content: string | Uint8Array,
): Promise<string> {
  const path = await outputPath(host, folder, name);
  await host.files.create(path, content);
  return path;
}

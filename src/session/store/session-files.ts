/** Saves a session's files other than transcripts: frozen prefixes by hash, and output too long for the history. */

import { join } from 'node:path';
import type { SessionLayout } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { TranscriptError } from '../transcript/append-port.js';

/** Saves a prefix once, before the first request that uses it. */
export async function savePrefix(
  host: Host,
  layout: SessionLayout,
  prefix: { readonly sha256: string; readonly bytes: Uint8Array },
): Promise<void> {
  const path = layout.prefixFile(prefix.sha256);
  if ((await host.files.stat(path)) !== undefined) return;
  try {
    await host.files.makeFolder(layout.prefixes, 0o700);
    await host.files.replace(path, prefix.bytes);
  } catch (error) {
    const reason = reasonOf(error);
    throw new TranscriptError(`could not save to ${path}: ${reason}`, { cause: error });
  }
}

/** Returns a new path for output. Creates the folder, not the file. */
export async function outputPath(host: Host, layout: SessionLayout, name: string): Promise<string> {
  await host.files.makeFolder(layout.toolResults, 0o700);
  const readable = name.replace(/[^a-zA-Z0-9._-]/g, '_').slice(-80);
  return join(layout.toolResults, `${host.newId().slice(-12)}-${readable}`);
}

export async function saveOutput(
  host: Host,
  layout: SessionLayout,
  name: string,
  content: string | Uint8Array,
): Promise<string> {
  const path = await outputPath(host, layout, name);
  await host.files.create(path, content);
  return path;
}

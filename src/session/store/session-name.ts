/** The name of a session in its own file, so that a list shows it without reading the transcript. Derived from that. */

import type { SessionLayout } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import { readRegularFile } from '../../host/read-regular-file.js';

const MOST_BYTES = 4096;

export async function saveSessionName(host: Host, layout: SessionLayout, name: string): Promise<void> {
  if ((await readSessionName(host, layout)) === name) return;
  await host.files.makeFolder(layout.folder, 0o700);
  await host.files.replace(layout.name, name, 0o600);
}

/** Undefined if it has none, or it can't be read. */
export async function readSessionName(host: Host, layout: SessionLayout): Promise<string | undefined> {
  const read = await readRegularFile(host.files, layout.name, { most: MOST_BYTES });
  return read.kind === 'read' ? read.bytes.toString('utf8') : undefined;
}

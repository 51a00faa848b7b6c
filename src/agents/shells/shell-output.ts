/** Writes the output of a background command to one file as it arrives, up to a limit. */

import { dirname } from 'node:path';
import type { AppendHandle } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import type { RunningProcess } from '../../host/processes.js';

const MAX_FILE_BYTES = 50 * 1024 * 1024;

/**
 * Resolves when both streams are closed and their output is written. Never rejects: lost output must not stop the run.
 */
export async function writeShellOutput(
  host: Host,
  process: RunningProcess,
  path: string,
  printed: Uint8Array = new Uint8Array(),
): Promise<void> {
  let bytes = printed.length;
  const opened = open(host, path);
  let queue: Promise<unknown> = opened.then((handle) => writeAll(handle, printed));
  const closed = [process.stdout, process.stderr].map((stream) => {
    stream.on('data', (chunk: Buffer) => {
      const room = Math.max(0, MAX_FILE_BYTES - bytes);
      bytes += chunk.length;
      if (room === 0) return;
      stream.pause();
      queue = queue.then(async () => writeAll(await opened, chunk.subarray(0, room)));
      void queue.then(() => stream.resume());
    });
    // Output was held back while a call waited for the command.
    stream.resume();
    return new Promise<void>((resolve) => {
      if (stream.readableEnded || stream.destroyed) resolve();
      stream.once('close', () => resolve());
      stream.once('end', () => resolve());
      stream.once('error', () => resolve());
    });
  });
  await Promise.all(closed);
  await queue;
  const handle = await opened;
  if (bytes > MAX_FILE_BYTES) {
    await writeAll(handle, Buffer.from(`\n[${bytes - MAX_FILE_BYTES} more bytes dropped]\n`));
  }
  await handle?.close().catch(() => {});
}

function open(host: Host, path: string): Promise<AppendHandle | undefined> {
  return host.files
    .makeFolder(dirname(path), 0o700)
    .then(() => host.files.openAppend(path))
    .catch(() => undefined);
}

async function writeAll(handle: AppendHandle | undefined, bytes: Uint8Array): Promise<void> {
  try {
    for (let rest = bytes; handle !== undefined && rest.length > 0; ) {
      const written = await handle.write(rest);
      if (written === 0) return;
      rest = rest.subarray(written);
    }
  } catch {
    // The disk is full; the command continues.
  }
}

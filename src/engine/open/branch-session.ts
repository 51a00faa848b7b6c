/** Continues as a new session: copies what the conversation needs, under a new id. The old one is left unchanged. */

import { basename, dirname, join } from 'node:path';
import type { SessionLayout } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { segmentsOf } from '../../session/transcript/transcript.js';
import type { OpenFailure } from '../session-options.js';

const PIECE = 4 * 1024 * 1024;

export async function branchSession(
  host: Host,
  old: SessionLayout,
  fresh: SessionLayout,
): Promise<{ readonly ok: true } | OpenFailure> {
  try {
    await copyFolder(host, old.prefixes, fresh.prefixes);
    await copyFolder(host, old.files, fresh.files);
    const target = await host.files.openAppend(fresh.file);
    for (const segment of await segmentsOf(host.files, old.file)) await copy(host, segment, target);
    await target.sync();
    await target.close();
    await host.files.syncFolder(dirname(fresh.file));
    return { ok: true };
  } catch (error) {
    return {
      ok: false,
      kind: 'state',
      reason: `session ${basename(old.folder)} could not be copied: ${reasonOf(error)}`,
    };
  }
}

/** Copies the files in a folder, all of them small or few. */
async function copyFolder(host: Host, from: string, to: string): Promise<void> {
  await host.files.makeFolder(to, 0o700);
  const entries = await host.files.list(from).catch(() => []);
  for (const { name, kind } of entries) {
    if (kind === 'file') await host.files.create(join(to, basename(name)), await host.files.read(join(from, name)));
  }
}

async function copy(host: Host, from: string, target: { write(bytes: Uint8Array): Promise<number> }): Promise<void> {
  const source = await host.files.openRead(from);
  try {
    for (let at = 0; ; ) {
      const piece = await source.read(at, PIECE);
      if (piece.length === 0) return;
      for (let written = 0; written < piece.length; ) written += await target.write(piece.subarray(written));
      at += piece.length;
    }
  } finally {
    await source.close();
  }
}

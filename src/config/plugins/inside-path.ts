/** Paths of a plugin's parts: they begin with `./` and stay in its folder after links are resolved (EX-17). */

import { join, relative } from 'node:path';
import type { FileKind } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import { isWithin } from '../path-within.js';

export type InsidePath = Result<{ readonly path: string; readonly kind: FileKind }>;

/** `folder`: links resolved. */
export async function findInside(host: Host, folder: string, written: string): Promise<InsidePath> {
  if (written !== '.' && !written.startsWith('./')) return refused(written, 'begin it with ./');
  if (written.includes('\0')) return refused(written, 'it has a NUL character');
  const path = join(folder, written);
  try {
    const real = await host.files.realpath(path);
    if (!isWithin(folder, real)) return refused(written, OUT);
    // The hash does not cover everything that git stores there.
    if (relative(folder, real).split('/').includes('.git')) return refused(written, 'it is in a folder of git');
    const stat = await host.files.stat(real);
    if (stat === undefined) return refused(written, 'there is no such file or folder');
    return stat.kind === 'file' || stat.kind === 'folder'
      ? { ok: true, path: real, kind: stat.kind }
      : refused(written, 'it is neither a file nor a folder');
  } catch (error) {
    const isAbsent = reasonOf(error).includes('ENOENT');
    return refused(written, isAbsent ? 'there is no such file or folder' : reasonOf(error));
  }
}

const OUT = 'it points outside the plugin';

function refused(written: string, reason: string): InsidePath {
  return { ok: false, reason: `${JSON.stringify(written).slice(0, 200)}: ${reason}` };
}

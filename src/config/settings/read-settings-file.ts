/** A settings file's text. What can't be read is an error: only what isn't there is absent. */

import { errorCode } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Problem } from '../problem.js';

export type SettingsFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly problem: Problem };

const MAX_BYTES = 4 * 1024 * 1024;

export async function readSettingsFile(host: Host, file: string): Promise<SettingsFile> {
  try {
    const found = await host.files.stat(file);
    if (found === undefined)
      return (await isDangling(host, file)) ? unreadable(file, 'is a link to nothing') : { kind: 'absent' };
    if (found.kind === 'folder') return unreadable(file, 'is a folder, but a settings file was expected');
    // A pipe or a device would never end.
    if (found.kind !== 'file') return unreadable(file, 'is not a regular file');
    if (found.size > MAX_BYTES) return unreadable(file, `is too big (${found.size} bytes, at most ${MAX_BYTES})`);
    return { kind: 'text', text: (await host.files.read(file)).toString('utf8') };
  } catch (error) {
    return unreadable(file, explain(error));
  }
}

async function isDangling(host: Host, file: string): Promise<boolean> {
  return (await host.files.lstat(file))?.kind === 'link';
}

function unreadable(file: string, reason: string): SettingsFile {
  return { kind: 'unreadable', problem: { severity: 'error', file, message: `can't be read: ${reason}` } };
}

function explain(error: unknown): string {
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied (check who owns the file and its mode)';
    case 'ELOOP':
      return 'its links lead in a circle';
    default:
      return reasonOf(error);
  }
}

/** Reads the text of a settings file. An unreadable file is an error; only a missing one counts as absent. */

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
      return (await isDangling(host, file)) ? unreadable(file, 'it is a broken link') : { kind: 'absent' };
    if (found.kind === 'folder') return unreadable(file, 'it is a folder, not a settings file');
    // Reading a pipe or a device may never end.
    if (found.kind !== 'file') return unreadable(file, 'it is not a regular file');
    if (found.size > MAX_BYTES) return unreadable(file, `it is too large (${found.size} bytes, at most ${MAX_BYTES})`);
    return { kind: 'text', text: (await host.files.read(file)).toString('utf8') };
  } catch (error) {
    return unreadable(file, explain(error));
  }
}

async function isDangling(host: Host, file: string): Promise<boolean> {
  return (await host.files.lstat(file))?.kind === 'link';
}

function unreadable(file: string, reason: string): SettingsFile {
  return { kind: 'unreadable', problem: { severity: 'error', file, message: `cannot read the file: ${reason}` } };
}

function explain(error: unknown): string {
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied (check the owner and mode of the file)';
    case 'ELOOP':
      return 'too many levels of links';
    default:
      return reasonOf(error);
  }
}

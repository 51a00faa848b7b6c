/** Reads the text of a settings file. Only a missing file is treated as absent; an unreadable one is an error. */

import type { Host } from '../../host/host.js';
import { readRegularFile } from '../../host/read-regular-file.js';
import type { Problem } from '../problem.js';

export type SettingsFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly problem: Problem };

const MAX_BYTES = 4 * 1024 * 1024;

export async function readSettingsFile(host: Host, file: string): Promise<SettingsFile> {
  const found = await readRegularFile(host.files, file, { most: MAX_BYTES });
  switch (found.kind) {
    case 'absent':
      return found;
    case 'read':
      return { kind: 'text', text: found.bytes.toString('utf8') };
    case 'refused': {
      const message = `cannot read the file: ${found.reason}`;
      return { kind: 'unreadable', problem: { severity: 'error', file, message } };
    }
    default:
      return found satisfies never;
  }
}

/** Finds a program that we run ourselves: on the user's PATH, but never in a folder that an agent can write to. */

import { isAbsolute, join } from 'node:path';
import type { Host } from '../../host/host.js';
import { isWithin } from '../permissions/paths/resolve-path.js';

/** All its locations, in the order of the PATH. */
export async function* findProgram(host: Host, name: string, roots: readonly string[]): AsyncGenerator<string> {
  for (const folder of (host.env.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(':')) {
    if (!isAbsolute(folder) || roots.some((root) => isWithin(folder, root))) continue;
    const file = join(folder, name);
    const found = await host.files.stat(file).catch(() => undefined);
    if (found?.kind !== 'file' || (found.mode & 0o111) === 0) continue;
    const real = await host.files.realpath(file);
    if (!roots.some((root) => isWithin(real, root))) yield file;
  }
}

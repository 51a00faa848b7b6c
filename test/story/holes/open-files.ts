/** What this process holds open below a folder. */

import { readdirSync, readlinkSync } from 'node:fs';

export function openFilesBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

/** Follows a path name by name, so that the links on its way can be made again elsewhere. */

import { isAbsolute, join } from 'node:path';
import type { SyncFiles } from '../../../host/files.js';

export type Traced = {
  /** With every link followed. */
  readonly real: string;
  /** The links on the way, outermost first. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
};

const MOST_LINKS = 40;

/** Undefined if it does not exist or can't be followed. */
export function traceLinks(path: string, files: SyncFiles): Traced | undefined {
  const pending = split(path).toReversed();
  const links: { path: string; target: string }[] = [];
  let real = '/';
  try {
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (name === '.') continue;
      if (name === '..') {
        real = join(real, '..');
        continue;
      }
      const next = join(real, name);
      const kind = files.lstat(next)?.kind;
      if (kind === undefined) return undefined;
      if (kind !== 'link') {
        real = next;
        continue;
      }
      const target = files.readLink(next);
      links.push({ path: next, target });
      if (links.length > MOST_LINKS) return undefined;
      if (isAbsolute(target)) real = '/';
      pending.push(...split(target).toReversed());
    }
    return { real, links };
  } catch {
    return undefined;
  }
}

function split(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}

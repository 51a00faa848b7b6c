/** Resolves every link in a path, even for a file that does not exist yet. */

import { basename, dirname, join } from 'node:path';
import type { FileStat } from '../host/files.js';
import type { ToolContext } from './tool.js';

export type RealPath =
  | { readonly found: 'file'; readonly path: string; readonly stat: FileStat }
  /** `folder` is the nearest one that exists, links resolved. */
  | { readonly found: 'nothing'; readonly path: string; readonly folder: string }
  | { readonly found: 'refused'; readonly reason: string };

/** `path` is absolute. May throw Node's file errors (EACCES, ELOOP, ENAMETOOLONG …). */
export async function resolveRealPath(context: Pick<ToolContext, 'host' | 'judged'>, path: string): Promise<RealPath> {
  const real = await followLinks(context, path);
  if (real.found === 'refused') return real;
  const judged = context.judged?.get(path);
  if (judged !== undefined && judged !== real.path) {
    const reason = `${path} pointed to ${judged} when the call was checked and now points to ${real.path} (a link changed in between). Nothing was changed; check the path and call again.`;
    return { found: 'refused', reason };
  }
  return real;
}

async function followLinks({ host }: Pick<ToolContext, 'host'>, path: string): Promise<RealPath> {
  const stat = await host.files.stat(path);
  if (stat !== undefined) return { found: 'file', path: await host.files.realpath(path), stat };
  const missing: string[] = [];
  let at = path;
  for (;;) {
    const here = await host.files.lstat(at);
    if (here?.kind === 'link' && (await host.files.stat(at)) === undefined) {
      const target = await host.files.readLink(at);
      return { found: 'refused', reason: `${at} is a link to ${target}, which doesn't exist. Use the real path.` };
    }
    if (here !== undefined) {
      const folder = await host.files.realpath(at);
      return { found: 'nothing', path: join(folder, ...missing), folder };
    }
    if (dirname(at) === at) return { found: 'nothing', path, folder: at };
    missing.unshift(basename(at));
    at = dirname(at);
  }
}

/** Where a session works: its folder, its repository, the folders it may work in. */

import { resolve } from 'node:path';
import { findRepoRoot } from '../config/find-repo-root.js';
import type { SettingsResult } from '../config/settings/read-settings.js';
import { errorCode } from '../host/files.js';
import type { Host } from '../host/host.js';
import { nodeHost } from '../host/node-host.js';
import type { OpenFailure, SessionOptions } from './session-options.js';

export type FoundFolder =
  | { readonly ok: true; readonly host: Host; readonly folder: string; readonly repoRoot: string | undefined }
  | OpenFailure;

export async function findFolder(options: SessionOptions): Promise<FoundFolder> {
  const asked = resolve(options.cwd ?? process.cwd());
  const machine = options.host ?? nodeHost(asked, options.env);
  try {
    const folder = await machine.files.realpath(asked);
    if ((await machine.files.stat(folder))?.kind !== 'folder') {
      return { ok: false, kind: 'folder', reason: `${asked} is not a folder` };
    }
    return { ok: true, host: machine.at(folder), folder, repoRoot: await findRepoRoot(machine, folder) };
  } catch (error) {
    const reason = errorCode(error) === 'ENOENT' ? 'there is no such folder' : String(error);
    return { ok: false, kind: 'folder', reason: `can't work in ${asked}: ${reason}` };
  }
}

export type FoundRoots = { readonly ok: true; readonly roots: readonly string[] } | OpenFailure;

export async function findRoots(host: Host, folder: string, settings: SettingsResult): Promise<FoundRoots> {
  const roots = [folder];
  for (const { path, origin } of settings.additionalDirectories) {
    try {
      const real = await host.files.realpath(path);
      if ((await host.files.stat(real))?.kind !== 'folder') throw new Error('it is not a folder');
      if (!roots.includes(real)) roots.push(real);
    } catch (error) {
      const reason = errorCode(error) === 'ENOENT' ? 'there is no such folder' : String(error);
      return { ok: false, kind: 'usage', reason: `can't add the folder ${path} (${origin.file}): ${reason}` };
    }
  }
  return { ok: true, roots };
}

/** Where a session works: its folder, its repository, the folders it may work in. */

import { resolve } from 'node:path';
import { findRepoRoot } from '../config/find-repo-root.js';
import type { SettingsResult } from '../config/settings/read-settings.js';
import { errorCode } from '../host/files.js';
import type { Host } from '../host/host.js';
import { nodeHost } from '../host/node-host.js';
import type { OpenFailure, SessionOptions } from './session-options.js';

export type FoundPlace =
  | { readonly ok: true; readonly host: Host; readonly folder: string; readonly repoRoot: string | undefined }
  | OpenFailure;

export async function findPlace(options: SessionOptions): Promise<FoundPlace> {
  const asked = resolve(options.cwd ?? process.cwd());
  const machine = options.host ?? nodeHost(asked, options.env);
  try {
    const folder = await machine.files.realpath(asked);
    if ((await machine.files.stat(folder))?.kind !== 'folder') {
      return { ok: false, kind: 'folder', message: `${asked} is not a folder` };
    }
    return { ok: true, host: machine.at(folder), folder, repoRoot: await findRepoRoot(machine, folder) };
  } catch (error) {
    const why = errorCode(error) === 'ENOENT' ? 'there is no such folder' : String(error);
    return { ok: false, kind: 'folder', message: `can't work in ${asked}: ${why}` };
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
      const why = errorCode(error) === 'ENOENT' ? 'there is no such folder' : String(error);
      return { ok: false, kind: 'usage', message: `can't add the folder ${path} (${origin.file}): ${why}` };
    }
  }
  return { ok: true, roots };
}

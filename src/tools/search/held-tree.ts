/**
 * Reaches files below a held folder name by name, each folder held in turn: none of them can be swapped for a link on the
 * way (GT-28). Paths are relative, with `/`.
 */

import { basename, dirname } from 'node:path';
import { errorCode, type HeldFile, type HeldFolder } from '../../host/files.js';

export class HeldTree {
  readonly #top: HeldFolder;
  readonly #folders = new Map<string, Promise<HeldFolder | undefined>>();

  /** The caller still closes `top`. */
  constructor(top: HeldFolder) {
    this.#top = top;
  }

  /** Undefined if there is no regular file at this path, or one only by a link. The caller closes it. */
  async open(path: string): Promise<HeldFile | undefined> {
    const folder = await this.#folder(dirname(path));
    const file = await folder?.openRead(basename(path)).catch(absentOrThrow);
    if (file === undefined || (await file.stat()).kind === 'file') return file;
    await file.close();
    return undefined;
  }

  /** True if there is a file at this path without any link. */
  async has(path: string): Promise<boolean> {
    const folder = await this.#folder(dirname(path));
    const stat = await folder?.lstat(basename(path)).catch(absentOrThrow);
    return stat !== undefined && stat.kind !== 'link' && stat.kind !== 'folder';
  }

  /** Closes the folders; files stay open. */
  async close(): Promise<void> {
    const folders = [...this.#folders.values()];
    this.#folders.clear();
    for (const folder of await Promise.allSettled(folders))
      if (folder.status === 'fulfilled') await folder.value?.close();
  }

  #folder(path: string): Promise<HeldFolder | undefined> {
    if (path === '.') return Promise.resolve(this.#top);
    const known = this.#folders.get(path) ?? this.#enter(path);
    this.#folders.set(path, known);
    return known;
  }

  async #enter(path: string): Promise<HeldFolder | undefined> {
    const above = await this.#folder(dirname(path));
    return above?.enter(basename(path)).catch(absentOrThrow);
  }
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ESTALE', 'EACCES', 'EPERM', 'ENXIO', 'ENAMETOOLONG']);

function absentOrThrow(error: unknown): undefined {
  if (ABSENT.has(errorCode(error) ?? '')) return undefined;
  throw error;
}

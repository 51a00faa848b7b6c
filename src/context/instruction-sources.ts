/** The allowed sources of instructions, and limits on what is read. */

import { extname, relative } from 'node:path';
import { isWithin } from '../config/path-within.js';
import { isRead, type WantedSources } from '../config/settings/setting-sources.js';
import type { Host } from '../host/host.js';

export type SourceRules = {
  /** True if a file at this path may be imported: called with the path as written, then with its links resolved. */
  mayRead(path: string): boolean;
  /** True if the user's rules keep the file at this path, written or real, from agents (GT-4). */
  isRuledOut(path: string): boolean;
  readonly home: string;
};

export type SourceOptions = {
  readonly host: Host;
  /** The root of the project. */
  readonly root: string;
  /** `~/.claude` by default. */
  readonly configDir: string;
  /** The folder of our own state. */
  readonly stateDir: string;
  readonly home: string;
  readonly trusted: boolean;
  /** Applies the user's rules to a path; undefined if none of them is about files. */
  readonly permits?: ((path: string) => boolean) | undefined;
  /** Files of other sources are not read, even if imported. */
  readonly sources?: WantedSources;
};

/** The user's own files may import any file. */
export function ownSources({ home, permits }: SourceOptions): SourceRules {
  return { mayRead: () => true, isRuledOut: (path) => permits?.(path) === false, home };
}

/**
 * A project may import its own files and, once it is trusted, Markdown in the user's config folder, where people keep
 * notes about a project. Never our state, settings, or hidden files of the home folder.
 */
export async function projectSources(options: SourceOptions): Promise<SourceRules> {
  const [root, configDir, stateDir, home] = await Promise.all(
    [options.root, options.configDir, options.stateDir, options.home].map((folder) => withReal(options.host, folder)),
  );
  const isIn = (folders: readonly string[] | undefined, path: string) =>
    (folders ?? []).some((folder) => isWithin(folder, path));
  return {
    mayRead: (path) => {
      if (isIn(stateDir, path)) return false;
      if (isIn(configDir, path)) {
        return options.trusted && isRead(options.sources, 'user') && extname(path).toLowerCase() === '.md';
      }
      if (!isIn(root, path)) return false;
      // In a project that contains the home folder, hidden files there belong to the user, not to the project.
      return !(home ?? []).some((folder) => isIn(root, folder) && isHiddenIn(folder, path));
    },
    isRuledOut: (path) => options.permits?.(path) === false,
    home: options.home,
  };
}

function isHiddenIn(folder: string, path: string): boolean {
  const [first = ''] = relative(folder, path).split('/');
  return first.startsWith('.') && first !== '..';
}

async function withReal(host: Host, folder: string): Promise<readonly string[]> {
  const real = await host.files.realpath(folder).catch(() => folder);
  return real === folder ? [folder] : [folder, real];
}

const MAX_LOOKUPS = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** Limits the files that a project can make us read. Warns once. */
export class LoadBudget {
  #lookups = MAX_LOOKUPS;
  #bytes = MAX_BYTES;
  #hasWarned = false;

  constructor(readonly warnings: string[]) {}

  get isSpent(): boolean {
    return this.#hasWarned;
  }

  /** False once the limit is reached. `what` names the file that is not read. */
  mayLook(what: string): boolean {
    this.#lookups -= 1;
    return this.#lookups >= 0 || this.#refuse(what);
  }

  mayKeep(what: string, bytes: number): boolean {
    this.#bytes -= bytes;
    return this.#bytes >= 0 || this.#refuse(what);
  }

  #refuse(what: string): false {
    const limits = `${MAX_LOOKUPS} files or ${MAX_BYTES / 1024 / 1024} MiB`;
    if (!this.#hasWarned)
      this.warnings.push(`${what} and what follows was not loaded: the instructions name more than ${limits}`);
    this.#hasWarned = true;
    return false;
  }
}

/** Reads the instructions of the session's folder and, for an agent in a worktree, those of the worktree. */

import { join, relative } from 'node:path';
import { isWithin } from '../../config/path-within.js';
import { configDir, coppiceHome, userHome } from '../../config/paths.js';
import { CurrentInstructions } from '../../context/current-instructions.js';
import { type Instructions, loadInstructions } from '../../context/instructions.js';
import { permittedInstructions } from '../../gate/permitted-reads.js';
import type { AgentWorktree } from '../../protocol/agent-spawned.js';
import type { FolderConfig } from './read-config.js';

type Place = { readonly folder: string; readonly root: string; readonly working: readonly string[] };

export type WorktreeFolders = {
  readonly worktree: Pick<AgentWorktree, 'path' | 'from'>;
  /** The agent's folder in the worktree. */
  readonly folder: string;
  readonly roots: readonly string[];
};

/** The number of worktrees whose instructions are cached; others are read again. */
const MOST_KEPT = 50;

export type ReadInstructions = {
  readonly instructions: CurrentInstructions;
  instructionsIn(folders: WorktreeFolders): Promise<Instructions>;
};

export async function readInstructions(config: FolderConfig, session: Place): Promise<ReadInstructions> {
  const permits = permitsOf(config, session);
  const first = () => load(config, session, permits);
  const known = new Map<string, Promise<Instructions>>();
  return {
    instructions: new CurrentInstructions(await first(), first, config.host.clock),
    instructionsIn: ({ worktree: { path, from }, folder, roots }) => {
      const loaded = known.get(folder);
      if (loaded !== undefined) return loaded;
      const location = { folder, root: path, working: roots };
      const here = permitsOf(config, location);
      // A rule may name the file by its path in the main checkout.
      const there = (file: string) => (isWithin(path, file) ? join(from, relative(path, file)) : file);
      const isPermitted = (file: string) => here?.(file) !== false && permits?.(there(file)) !== false;
      const loading = load(config, location, isPermitted);
      const [oldest] = known.keys();
      if (oldest !== undefined && known.size >= MOST_KEPT) known.delete(oldest);
      known.set(folder, loading);
      return loading;
    },
  };
}

function permitsOf({ host, settings }: FolderConfig, { root, working }: Place) {
  const folders = { home: userHome(host.env), working };
  return permittedInstructions({ rules: settings.rules, projectRoot: root, folders, files: host.files.sync });
}

type Permits = ((path: string) => boolean) | undefined;

function load(
  { host, trusted, sources }: FolderConfig,
  { folder, root }: Place,
  permits: Permits,
): Promise<Instructions> {
  const { env } = host;
  const managedFile = '/etc/coppice/CLAUDE.md';
  const folders = { configDir: configDir(env), stateDir: coppiceHome(env), home: userHome(env) };
  return loadInstructions({ host, folder, root, trusted, managedFile, permits, sources, ...folders });
}

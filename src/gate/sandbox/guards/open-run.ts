/** One command that may write: its guards, its branches, and what happens after it. */

import type { Host } from '../../../host/host.js';
import { serialQueue } from '../../../host/locks/serial-queue.js';
import type { ProcessCommand, ProcessExit } from '../../../host/processes.js';
import type { Mount } from '../mounts/mounts.js';
import type { Place } from '../sandbox.js';
import { createBranchViews } from './branch-view.js';
import { findGitParts, type GuardedRun, guardRun, type RunRequest } from './guard-run.js';
import { createNestedFolders } from './nested-folders.js';
import { openState } from './sandbox-state.js';
import { waitUntilGone } from './wait-until-gone.js';

export type Runs = Awaited<ReturnType<typeof openRuns>>;

/** Opens what is kept on disk for commands that may write. */
export async function openRuns(host: Host, { home, ownHome }: { readonly home: string; readonly ownHome: string }) {
  const state = await openState(host, ownHome);
  const shared = { home, stubs: state.stubs, nested: createNestedFolders(host), inTurn: serialQueue() };
  return {
    surroundings: { ...shared, granted: new Set<string>() },
    branches: createBranchViews(host, state.branches),
    temporary: state.temporary,
    close: () => state.remove(),
  };
}

export type Run = Omit<GuardedRun, 'finish'> & {
  readonly roots: readonly string[];
  readonly cwd: string;
  readonly mark: string;
  finish(exit: ProcessExit): Promise<readonly string[]>;
};

type RunNeeds = Pick<Place, 'roots' | 'worktree'> &
  Pick<RunRequest, 'git'> & {
    readonly grant?: { readonly writable: readonly string[]; readonly names: readonly string[] };
    readonly wide?: boolean;
  };

/** Guards for a command that may write. In a worktree of ours only its own branch moves. */
export async function openRun(
  host: Host,
  { surroundings, branches }: Runs,
  { cwd: folder }: ProcessCommand,
  { roots: named, worktree, git, grant, wide = false }: RunNeeds,
): Promise<Run> {
  const id = host.newId();
  const mark = `coppice-run-${id}`;
  const cwd = await host.files.realpath(folder);
  const roots = await Promise.all(named.map((root) => host.files.realpath(root)));
  const gitParts = await findGitParts(host, worktree?.git);
  const request = {
    id,
    cwd,
    roots,
    gitParts,
    granted: grant?.writable ?? [],
    names: grant?.names ?? [],
    git,
    wide,
    kept: worktree === undefined ? [] : [worktree.from, ...(worktree.git ? [worktree.git.common] : [])],
  };
  const run = await guardRun(host, surroundings, request);
  const view = worktree?.git && (await branches.open({ ...worktree.git, branch: worktree.branch }));
  return {
    roots,
    cwd,
    mark,
    guarded: [...run.guarded, ...(wide && worktree ? [worktree.from] : [])],
    mounts: [
      ...gitParts.writable.map((path): Mount => ({ kind: 'open', path })),
      ...(wide && worktree ? keepCheckout(worktree) : []),
      ...run.mounts,
      ...(view?.mounts ?? []),
    ],
    finish: async (exit) => {
      // A normal exit comes after all others have ended; a killed process may be gone before them.
      const gone = endedByItself(exit) || (await waitUntilGone(host, mark));
      const lines = [...(await run.finish()), ...((await view?.finish()) ?? [])];
      return gone ? lines : [...lines, 'a process the command started could not be stopped'];
    },
  };
}

/** Of the checkout that a worktree was made from, and of the git folder they share, nothing else can be changed. */
function keepCheckout({ from, path, git }: NonNullable<Place['worktree']>): readonly Mount[] {
  return [
    { kind: 'read', path: from },
    ...(git === undefined ? [] : [{ kind: 'read', path: git.common } as const]),
    { kind: 'open', path },
  ];
}

function endedByItself(exit: ProcessExit): boolean {
  return exit.error !== undefined || (exit.code !== null && exit.signal === null);
}

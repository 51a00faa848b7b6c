/** Git's own records of a worktree in every state: commits, stashes, operations, submodules (WT-7). */

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { type At, actOnState, type Outcomes, type State } from '../../../program/host/worktrees/ending/act-on-state.js';
import type { WorktreeStage } from '../../../support/worktree-stage.js';

const KEPT: Outcomes = { end: 'kept', resume: 'goes on', sweep: 'kept', remove: 'kept', discard: 'removed' };
const REMOVED: Outcomes = {
  end: 'removed',
  resume: 'goes on',
  sweep: 'removed',
  remove: 'removed',
  discard: 'removed',
};

async function commit({ stage, path }: Pick<At, 'stage' | 'path'>, file = 'one.txt', text = 'work\n'): Promise<void> {
  await writeFile(join(path, file), text);
  await stage.git(['add', '--all'], path);
  await stage.git(['commit', '-qm', 'work'], path);
}

/** The worktree's files and index as at its start, and another branch with a change that conflicts with one in it. */
async function conflict({ stage, path }: At): Promise<void> {
  await stage.tryGit(['branch', '-D', 'other']);
  await stage.git(['checkout', '-qb', 'other'], path);
  await commit({ stage, path }, 'one.txt', 'theirs\n');
  await stage.git(['checkout', '-q', '-'], path);
  await commit({ stage, path }, 'one.txt', 'ours\n');
}

/** Its reflogs as if nothing had been committed, so that only the operation itself is evidence. */
async function forget({ stage, path, record }: At): Promise<void> {
  await stage.git(['reset', '-q', '--soft', record.start], path);
  for (const file of ['logs/HEAD', 'ORIG_HEAD']) await rm(join(record.gitDir ?? '', file), { force: true });
  await rm(join(stage.checkout.commonDir, 'logs', 'refs', 'heads', record.branch), { force: true });
}

async function withSubmodule(stage: WorktreeStage): Promise<void> {
  const inner = join(stage.repo, '..', 'inner');
  await stage.git(['init', '-q', inner]);
  await writeFile(join(inner, 'inner.txt'), 'inner\n');
  await stage.git(['add', '.'], inner);
  await stage.git(['commit', '-qm', 'inner'], inner);
  await stage.git(['submodule', '--quiet', 'add', inner, 'sub']);
  await stage.git(['commit', '-qm', 'a submodule']);
}

const STATES: readonly State[] = [
  {
    name: 'a commit',
    make: commit,
    outcomes: KEPT,
    says: /^it has 1 commit beyond its start$/,
  },
  {
    name: 'a commit without a change',
    make: ({ stage, path }) => stage.git(['commit', '-qm', 'empty', '--allow-empty'], path),
    outcomes: KEPT,
    says: /^it has 1 commit beyond its start/,
  },
  {
    name: 'its first commit written again',
    make: ({ stage, path }) => stage.git(['commit', '-q', '--amend', '-m', 'again'], path),
    outcomes: KEPT,
    says: /beyond its start/,
  },
  {
    name: 'set back to an earlier commit',
    make: ({ stage, path }) => stage.git(['reset', '-q', '--hard', 'HEAD~'], path),
    outcomes: KEPT,
    says: /^it is not at its start any more, but at [0-9a-f]{10}/,
  },
  {
    name: 'a commit, then set back: only the reflog knows it',
    make: async (at) => {
      await commit(at);
      await at.stage.git(['reset', '-q', '--hard', at.record.start], at.path);
    },
    outcomes: KEPT,
    says: /1 commit was made in it that only its reflog knows/,
  },
  {
    name: 'a commit, then set back, in a repository without reflogs',
    before: (stage) => stage.git(['config', 'core.logAllRefUpdates', 'false']),
    make: async (at) => {
      await commit(at);
      await at.stage.git(['reset', '-q', '--hard', at.record.start], at.path);
    },
    outcomes: KEPT,
    says: /1 commit was made in it/,
  },
  {
    name: 'an earlier commit looked at, and back',
    make: async ({ stage, path }) => {
      await stage.git(['checkout', '-q', 'HEAD~'], path);
      await stage.git(['checkout', '-q', '-'], path);
    },
    outcomes: REMOVED,
  },
  {
    name: 'the person went on in the main checkout',
    make: ({ stage, record }) => commit({ stage, path: stage.repo }, 'one.txt', `the person, ${record.name}\n`),
    outcomes: REMOVED,
  },
  { name: 'detached', make: ({ stage, path }) => stage.git(['checkout', '-q', '--detach'], path), outcomes: REMOVED },
  {
    name: 'detached, with a commit',
    make: async (at) => {
      await at.stage.git(['checkout', '-q', '--detach'], at.path);
      await commit(at);
    },
    outcomes: KEPT,
    says: /^it has 1 commit beyond its start$/,
  },
  {
    name: 'on another branch',
    make: async ({ stage, path }) => {
      await stage.tryGit(['branch', '-D', 'feature']);
      await stage.git(['checkout', '-qb', 'feature'], path);
    },
    outcomes: KEPT,
    says: /^it is on another branch \(feature\)$/,
  },
  {
    name: 'its branch deleted, and detached',
    make: async ({ stage, path, record }) => {
      await stage.git(['checkout', '-q', '--detach'], path);
      await stage.git(['branch', '-qD', record.branch]);
    },
    outcomes: REMOVED,
  },
  {
    name: 'its branch deleted after a commit, and detached at its start',
    make: async (at) => {
      await commit(at);
      await at.stage.git(['checkout', '-q', '--detach', at.record.start], at.path);
      await at.stage.git(['branch', '-qD', at.record.branch]);
    },
    outcomes: KEPT,
    says: /1 commit was made in it that only its reflog knows/,
  },
  {
    name: 'its branch deleted under it',
    make: ({ stage, record }) => stage.git(['update-ref', '-d', `refs/heads/${record.branch}`]),
    outcomes: KEPT,
    says: /^it is on no commit \(/,
  },
  {
    name: 'its branch checked out elsewhere',
    make: async ({ stage, path, record }) => {
      await stage.git(['checkout', '-q', '--detach'], path);
      await stage.git(['checkout', '-q', record.branch]);
    },
    outcomes: REMOVED,
    leavesBranch: true,
  },
  {
    name: 'commits on its branch from elsewhere',
    make: async ({ stage, path, record }) => {
      await stage.git(['checkout', '-q', '--detach'], path);
      await stage.git(['checkout', '-q', record.branch]);
      await commit({ stage, path: stage.repo });
      await stage.git(['checkout', '-q', 'main']);
    },
    outcomes: KEPT,
    says: /^its branch worktree-agent-00000000 has 1 commit beyond its start$/,
  },
  {
    name: 'a stash',
    make: async ({ stage, path }) => {
      await writeFile(join(path, 'one.txt'), 'work\n');
      await stage.git(['stash', '-q'], path);
    },
    outcomes: KEPT,
    says: /^a stash was made since \(WIP on worktree-agent-00000000: /,
  },
  {
    name: 'a stash with a message that names a branch',
    make: async ({ stage, path }) => {
      await writeFile(join(path, 'one.txt'), 'work\n');
      await stage.git(['stash', 'push', '-q', '-m', 'On main: mine'], path);
    },
    outcomes: KEPT,
    says: /^a stash was made since \(On worktree-agent-00000000: On main: mine\)$/,
  },
  {
    name: 'a stash of a detached worktree',
    make: async ({ stage, path }) => {
      await stage.git(['checkout', '-q', '--detach'], path);
      await writeFile(join(path, 'one.txt'), 'work\n');
      await stage.git(['stash', '-q'], path);
    },
    outcomes: KEPT,
    says: /^a stash was made since \(WIP on \(no branch\): /,
  },
  {
    name: 'stashes of the person, before and since',
    before: async (stage) => {
      await stage.git(['checkout', '-q', '--detach']);
      await writeFile(join(stage.repo, 'one.txt'), 'the person\n');
      await stage.git(['stash', '-q']);
      await stage.git(['checkout', '-q', 'main']);
    },
    make: async ({ stage }) => {
      await writeFile(join(stage.repo, 'one.txt'), 'the person\n');
      await stage.git(['stash', '-q']);
    },
    outcomes: REMOVED,
  },
  {
    name: 'a merge in progress',
    make: async (at) => {
      await conflict(at);
      await at.stage.tryGit(['merge', 'other'], at.path);
    },
    outcomes: KEPT,
    says: /an operation of git is in progress \(.*MERGE_HEAD.*\)/,
  },
  {
    name: 'a rebase in progress, and nothing else to see',
    make: async (at) => {
      await conflict(at);
      await at.stage.tryGit(['rebase', 'other'], at.path);
      await at.stage.tryGit(['reset', '-q', '--hard', at.record.start], at.path);
      await at.stage.git(['symbolic-ref', 'HEAD', `refs/heads/${at.record.branch}`], at.path);
      await forget(at);
      await at.stage.git(['reset', '-q', '--hard'], at.path);
    },
    outcomes: KEPT,
    says: /^an operation of git is in progress \(REBASE_HEAD, rebase-merge\)$/,
  },
  {
    name: 'a cherry-pick in progress',
    make: async (at) => {
      await conflict(at);
      await at.stage.tryGit(['cherry-pick', 'other'], at.path);
    },
    outcomes: KEPT,
    says: /in progress \(.*CHERRY_PICK_HEAD.*\)/,
  },
  {
    name: 'a revert in progress',
    make: async (at) => {
      await commit(at, 'one.txt', 'second\n');
      await commit(at, 'one.txt', 'third\n');
      await at.stage.tryGit(['revert', '--no-edit', 'HEAD~'], at.path);
    },
    outcomes: KEPT,
    says: /in progress \(.*REVERT_HEAD.*\)/,
  },
  {
    name: 'a search by bisection',
    make: ({ stage, path }) => stage.git(['bisect', 'start'], path),
    outcomes: KEPT,
    says: /in progress \(.*BISECT_LOG.*\)/,
  },
  {
    name: 'a lock of a git that is under way',
    make: ({ record }) => writeFile(join(record.gitDir ?? '', 'index.lock'), ''),
    outcomes: KEPT,
    says: /^an operation of git is in progress \(index\.lock\)$/,
  },
  {
    name: 'a reference of its own',
    make: async (at) => {
      const kept = await at.stage.git(['commit-tree', '-m', 'kept', 'HEAD^{tree}'], at.path);
      await at.stage.git(['update-ref', 'refs/worktree/kept', kept], at.path);
    },
    outcomes: KEPT,
    says: /^it has references of its own \(refs\/worktree\/kept\)$/,
  },
  { name: 'a submodule that was not fetched', before: withSubmodule, make: async () => {}, outcomes: REMOVED },
  {
    name: 'a submodule that was fetched',
    before: withSubmodule,
    make: ({ stage, path }) => stage.git(['submodule', '--quiet', 'update', '--init'], path),
    outcomes: KEPT,
    says: /^it has submodules of its own; submodules with files in them: sub$/,
  },
  {
    name: 'a submodule changed in its files',
    before: withSubmodule,
    make: async ({ stage, path }) => {
      await stage.git(['submodule', '--quiet', 'update', '--init'], path);
      await writeFile(join(path, 'sub', 'new.txt'), 'work\n');
    },
    outcomes: KEPT,
    says: /submodules with files in them: sub$/,
  },
  {
    name: 'a submodule with a commit',
    before: withSubmodule,
    make: async ({ stage, path }) => {
      await stage.git(['submodule', '--quiet', 'update', '--init'], path);
      await commit({ stage, path: join(path, 'sub') }, 'new.txt');
    },
    outcomes: KEPT,
    says: /changed: sub; submodules with files in them: sub$/,
  },
  {
    name: 'a file in the folder of a submodule',
    before: withSubmodule,
    make: ({ path }) => writeFile(join(path, 'sub', 'new.txt'), 'work\n'),
    outcomes: KEPT,
    says: /submodules with files in them: sub$/,
  },
  {
    name: 'another commit of a submodule staged, without its files',
    before: withSubmodule,
    make: ({ stage, path, record }) => stage.git(['update-index', '--cacheinfo', `160000,${record.start},sub`], path),
    outcomes: KEPT,
    says: /^changed: sub$/,
  },
];

describe('WT-7: what git holds of a worktree, at its end, on resume, swept and removed', () => {
  it.each(STATES.map((state) => [state.name, state] as const))('%s', (_name, state) => actOnState(state));
});

/** Worktrees that are not where they were, belong to someone else by now, or whose records are damaged (WT-7, WT-8, WT-9). */

import { spawn } from 'node:child_process';
import { mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, onTestFinished } from 'vitest';
import { recordsFolder } from '../../../../src/host/worktrees/worktree-record.js';
import { type At, actOnState, type Outcomes, type State } from '../../../program/host/worktrees/ending/act-on-state.js';
import { rewriteRecord } from '../../../support/worktree-stage.js';

const KEPT: Outcomes = { end: 'kept', resume: 'goes on', sweep: 'kept', remove: 'kept', discard: 'kept' };
const REFUSED: Outcomes = { ...KEPT, resume: 'refused' };
/** Deleted by hand, or moved: only the user knows which. */
const MISSING: Outcomes = { end: 'gone', resume: 'gone', sweep: 'kept', remove: 'gone', discard: 'gone' };
const GONE: Outcomes = { end: 'gone', resume: 'gone', sweep: 'removed', remove: 'gone', discard: 'gone' };

async function commit({ stage, path }: At): Promise<void> {
  await writeFile(join(path, 'one.txt'), 'work\n');
  await stage.git(['commit', '-qam', 'work'], path);
}

async function unlock({ stage, record }: At): Promise<void> {
  await stage.git(['worktree', 'unlock', record.path]);
}

/** Each time the state is made, another place. */
let places = 0;
const elsewhere = ({ stage }: At) => {
  places += 1;
  return join(stage.repo, '..', `elsewhere-${places}`);
};

const STATES: readonly State[] = [
  {
    name: 'moved by git',
    make: async (at) => {
      await unlock(at);
      await at.stage.git(['worktree', 'move', at.path, elsewhere(at)]);
      at.moveTo(join(at.stage.repo, '..', `elsewhere-${places}`));
    },
    outcomes: REFUSED,
    says: /is not in a \.claude\/worktrees folder of this repository/,
  },
  {
    name: 'moved by git to a folder next to it',
    make: async (at) => {
      await unlock(at);
      await at.stage.git(['worktree', 'move', at.path, `${at.path}-moved`]);
      at.moveTo(`${at.path}-moved`);
    },
    outcomes: { ...REFUSED, discard: 'removed' },
    says: /^it was moved to .*-moved$/,
  },
  {
    name: 'moved by hand, with work',
    make: async (at) => {
      await writeFile(join(at.path, 'new.txt'), 'work\n');
      await rename(at.path, elsewhere(at));
      at.moveTo(join(at.stage.repo, '..', `elsewhere-${places}`));
    },
    outcomes: MISSING,
    says: /is not there any more\. If you moved it, run "git worktree repair"/,
  },
  {
    name: 'moved by hand, and repaired',
    make: async (at) => {
      await rename(at.path, elsewhere(at));
      const now = join(at.stage.repo, '..', `elsewhere-${places}`);
      await at.stage.git(['worktree', 'repair', now]);
      at.moveTo(now);
    },
    outcomes: REFUSED,
    says: /is not in a \.claude\/worktrees folder/,
  },
  {
    name: 'deleted by hand',
    make: ({ path }) => rm(path, { recursive: true }),
    outcomes: MISSING,
    says: /is not there any more/,
  },
  {
    name: 'deleted by hand, with a commit',
    make: async (at) => {
      await commit(at);
      await rm(at.path, { recursive: true });
    },
    outcomes: { ...KEPT, resume: 'gone', discard: 'gone' },
    says: /1 commit beyond its start/,
  },
  {
    name: 'removed by git',
    make: async (at) => {
      await unlock(at);
      await at.stage.git(['worktree', 'remove', at.path]);
    },
    outcomes: GONE,
  },
  {
    name: 'removed by git, after a commit',
    make: async (at) => {
      await commit(at);
      await unlock(at);
      await at.stage.git(['worktree', 'remove', at.path]);
    },
    outcomes: { ...KEPT, resume: 'gone', discard: 'gone' },
    says: /^its branch worktree-agent-00000000 has 1 commit beyond its start$/,
  },
  {
    name: 'removed by git, with its branch',
    make: async (at) => {
      await unlock(at);
      await at.stage.git(['worktree', 'remove', at.path]);
      await at.stage.git(['branch', '-qD', at.record.branch]);
    },
    outcomes: GONE,
  },
  {
    name: 'deleted by hand, and pruned',
    make: async (at) => {
      await unlock(at);
      await rm(at.path, { recursive: true });
      await at.stage.git(['worktree', 'prune']);
    },
    outcomes: GONE,
  },
  {
    name: 'its registration pruned, its files still there',
    make: async (at) => {
      await unlock(at);
      await rename(at.path, `${at.path}.away`);
      await at.stage.git(['worktree', 'prune']);
      await rename(`${at.path}.away`, at.path);
    },
    outcomes: REFUSED,
    says: /is not registered with git: remove the folder yourself/,
  },
  {
    name: 'a link in its place',
    make: async (at) => {
      const now = elsewhere(at);
      await rename(at.path, now);
      await symlink(now, at.path);
      at.moveTo(now);
    },
    outcomes: REFUSED,
    says: /is not a folder$/,
  },
  {
    name: 'failures 34: the folder of worktrees is a link by now',
    make: async (at) => {
      const now = elsewhere(at);
      await rename(join(at.stage.repo, '.claude'), now);
      await symlink(now, join(at.stage.repo, '.claude'));
    },
    outcomes: KEPT,
    says: /is not in a \.claude\/worktrees folder of this repository/,
  },
  {
    name: 'failures 34: a record that names the main checkout',
    make: async (at) =>
      rewriteRecord(at.stage, { ...at.record, path: at.stage.repo, gitDir: at.stage.checkout.gitDir }),
    outcomes: REFUSED,
    says: /is not registered with git/,
  },
  {
    name: 'failures 34: a record that names a worktree of the person',
    make: async (at) => {
      const now = elsewhere(at);
      await at.stage.git(['worktree', 'add', '-q', '--detach', now]);
      const gitDir = await at.stage.git(['rev-parse', '--absolute-git-dir'], now);
      await rewriteRecord(at.stage, { ...at.record, path: now, gitDir });
    },
    outcomes: KEPT,
    says: /is not in a \.claude\/worktrees folder of this repository/,
  },
  {
    name: 'locked by somebody else',
    make: async (at) => {
      await unlock(at);
      await at.stage.git(['worktree', 'lock', '--reason', 'mine', at.path]);
    },
    outcomes: KEPT,
    says: /^it is locked by somebody else \(mine\)/,
  },
  {
    name: 'locked by somebody else, without a reason',
    make: async (at) => {
      await unlock(at);
      await at.stage.git(['worktree', 'lock', at.path]);
    },
    outcomes: KEPT,
    says: /^it is locked by somebody else: git worktree unlock/,
  },
  {
    name: 'WT-8: a process is in it',
    make: async ({ path }) => {
      await mkdir(join(path, 'empty'));
      const child = spawn('sleep', ['60'], { cwd: join(path, 'empty'), stdio: 'ignore' });
      onTestFinished(() => void child.kill('SIGKILL'));
    },
    outcomes: KEPT,
    says: /^process \d+ is in it \(sleep 60\)$/,
  },
  {
    name: 'its .git file gone: git would take the files for some of the main checkout',
    make: ({ path }) => unlink(join(path, '.git')),
    outcomes: REFUSED,
    says: /^it could not be checked: its \.git file is gone/,
  },
  {
    name: 'its .git file damaged',
    make: ({ path }) => writeFile(join(path, '.git'), 'gitdir: /nowhere\n'),
    outcomes: REFUSED,
    says: /\.git does not lead to .* \(git worktree repair fixes it\)$/,
  },
  {
    name: 'its .git file leads to the main repository',
    make: ({ path, stage }) => writeFile(join(path, '.git'), `gitdir: ${stage.checkout.gitDir}\n`),
    outcomes: REFUSED,
    says: /\.git does not lead to /,
  },
  {
    name: 'a damaged record',
    make: ({ stage, record }) =>
      writeFile(join(recordsFolder(stage.checkout.commonDir), `${record.name}.json`), '{"v":'),
    outcomes: REFUSED,
    says: /agent-00000000\.json is damaged$/,
  },
  {
    name: 'WT-7: made by a hook',
    make: ({ stage, record }) => rewriteRecord(stage, { ...record, madeBy: 'hook' }),
    outcomes: { ...KEPT, sweep: 'stays' },
    says: /^it was made by a WorktreeCreate hook/,
  },
];

describe('WT-7, WT-8: worktrees that are elsewhere, gone, locked, in use or damaged', () => {
  it.each(STATES.map((state) => [state.name, state] as const))('%s', (_name, state) => actOnState(state));
});

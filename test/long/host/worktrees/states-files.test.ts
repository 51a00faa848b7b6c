/** The files of a worktree in every state, at the end of a run, on resume, by the sweep and with discard (WT-7). */

import { createHash } from 'node:crypto';
import { chmod, mkdir, rename, rm, stat, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { type At, actOnState, type Outcomes, type State } from '../../../program/host/worktrees/ending/act-on-state.js';
import { rewriteRecord, type WorktreeStage } from '../../../support/worktree-stage.js';

const KEPT: Outcomes = { end: 'kept', resume: 'goes on', sweep: 'kept', remove: 'kept', discard: 'removed' };
const REMOVED: Outcomes = {
  end: 'removed',
  resume: 'goes on',
  sweep: 'removed',
  remove: 'removed',
  discard: 'removed',
};

const write = (path: string, name: string, text = 'work\n') => writeFile(join(path, name), text);
const config = (key: string, value: string) => (stage: WorktreeStage) => stage.git(['config', key, value]);

/** A link and a copy, as they are placed in a worktree when it is made. */
async function place({ stage, path, record }: At): Promise<void> {
  const target = join(stage.repo, 'modules');
  await mkdir(target, { recursive: true });
  await writeFile(join(target, 'kept.js'), 'kept\n');
  await symlink(target, join(path, 'node_modules'));
  await writeFile(join(path, '.env'), 'SECRET=1\n');
  const sha256 = createHash('sha256').update('SECRET=1\n').digest('hex');
  const placed = [
    { kind: 'link', path: 'node_modules', target } as const,
    { kind: 'copy', path: '.env', sha256 } as const,
  ];
  await rewriteRecord(stage, { ...record, placed });
}

const STATES: readonly State[] = [
  { name: 'clean', make: async () => {}, outcomes: REMOVED },
  { name: 'an empty folder', make: ({ path }) => mkdir(join(path, 'empty')), outcomes: REMOVED },
  {
    name: 'touched, and not changed',
    make: ({ path }) => utimes(join(path, 'one.txt'), new Date(1), new Date(1)),
    outcomes: REMOVED,
  },
  {
    name: 'staged',
    make: async ({ stage, path }) => {
      await write(path, 'one.txt');
      await stage.git(['add', 'one.txt'], path);
    },
    outcomes: KEPT,
    says: /^changed: one\.txt$/,
  },
  {
    name: 'staged, and put back in the file only',
    make: async ({ stage, path }) => {
      await write(path, 'one.txt');
      await stage.git(['add', 'one.txt'], path);
      await write(path, 'one.txt', 'one\n');
    },
    outcomes: KEPT,
    says: /^changed: one\.txt$/,
  },
  {
    name: 'unstaged',
    make: ({ path }) => write(path, 'src/two.txt'),
    outcomes: KEPT,
    says: /^changed: src\/two\.txt$/,
  },
  { name: 'deleted', make: ({ path }) => unlink(join(path, 'one.txt')), outcomes: KEPT, says: /^changed: one\.txt$/ },
  {
    name: 'WT-7, failures 33: untracked',
    make: ({ path }) => write(path, 'new.txt'),
    outcomes: KEPT,
    says: /^untracked: new\.txt$/,
  },
  {
    name: 'untracked, in an untracked folder',
    make: async ({ path }) => {
      await mkdir(join(path, 'a', 'b'), { recursive: true });
      await write(path, 'a/b/new.txt');
    },
    outcomes: KEPT,
    says: /^untracked: a\/b\/new\.txt$/,
  },
  {
    name: 'untracked, and the person told git not to show such',
    before: config('status.showUntrackedFiles', 'no'),
    make: ({ path }) => write(path, 'new.txt'),
    outcomes: KEPT,
    says: /^untracked: new\.txt$/,
  },
  {
    name: 'more untracked files than are named',
    make: async ({ path }) => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await write(path, name);
    },
    outcomes: KEPT,
    says: /^untracked: a, b, c and 2 more$/,
  },
  {
    name: 'failures 32: ignored, and new',
    make: ({ path }) => write(path, 'trace.log'),
    outcomes: KEPT,
    says: /^new, though ignored: trace\.log$/,
  },
  {
    name: 'in an ignored folder',
    make: async ({ path }) => {
      await mkdir(join(path, 'build'));
      await write(path, 'build/out.bin');
    },
    outcomes: KEPT,
    says: /ignored: build\/out\.bin$/,
  },
  {
    name: 'ignored by the person alone',
    before: async (stage) => {
      await writeFile(join(stage.repo, '..', 'excludes'), '*\n');
      await stage.git(['config', 'core.excludesFile', join(stage.repo, '..', 'excludes')]);
    },
    make: ({ path }) => write(path, 'new.txt'),
    outcomes: KEPT,
    says: /^new, though ignored: new\.txt$/,
  },
  {
    name: 'marked as unchanged, and changed',
    make: async ({ stage, path }) => {
      await stage.git(['update-index', '--assume-unchanged', 'one.txt'], path);
      await write(path, 'one.txt');
    },
    outcomes: KEPT,
    says: /^changed, though marked as unchanged: one\.txt$/,
  },
  {
    name: 'marked as not checked out, and changed',
    make: async ({ stage, path }) => {
      await stage.git(['update-index', '--skip-worktree', 'one.txt', 'run.sh'], path);
      await write(path, 'one.txt');
    },
    outcomes: KEPT,
    says: /^changed, though marked as unchanged: one\.txt$/,
  },
  {
    name: 'marked as unchanged, and not changed',
    make: async ({ stage, path }) => {
      await stage.git(['update-index', '--assume-unchanged', 'one.txt'], path);
      await stage.git(['update-index', '--skip-worktree', 'run.sh'], path);
    },
    outcomes: REMOVED,
  },
  {
    name: 'changed to the same size and time, where git looks at no more',
    before: async (stage) => {
      await config('core.checkStat', 'minimal')(stage);
      await config('core.trustctime', 'false')(stage);
    },
    make: async ({ stage, path }) => {
      const long = new Date('2001-01-01');
      await utimes(join(path, 'one.txt'), long, long);
      await stage.git(['update-index', '--refresh'], path);
      const second = async () => Math.floor((await stat(join(path, 'one.txt'))).ctimeMs / 1000);
      const before = await second();
      do {
        await write(path, 'one.txt', 'two\n');
        await utimes(join(path, 'one.txt'), long, long);
      } while ((await second()) === before);
    },
    outcomes: KEPT,
    says: /^changed: one\.txt$/,
  },
  {
    name: 'sparse, and nothing else',
    make: ({ stage, path }) => stage.git(['sparse-checkout', 'set', 'src'], path),
    outcomes: REMOVED,
  },
  {
    name: 'sparse, with a file outside of what is checked out',
    make: async ({ stage, path }) => {
      await stage.git(['sparse-checkout', 'set', '--no-cone', '/src/'], path);
      await write(path, 'one.txt');
    },
    outcomes: KEPT,
    says: /one\.txt/,
  },
  {
    name: 'a mode, where modes count',
    make: ({ path }) => chmod(join(path, 'one.txt'), 0o755),
    outcomes: KEPT,
    says: /^changed: one\.txt$/,
  },
  {
    name: 'a mode, where the person told git that modes do not count',
    before: config('core.fileMode', 'false'),
    make: ({ path }) => chmod(join(path, 'one.txt'), 0o755),
    outcomes: REMOVED,
  },
  {
    name: 'a name in other case, where the person told git that case does not count',
    before: config('core.ignoreCase', 'true'),
    make: ({ path }) => write(path, 'ONE.txt'),
    outcomes: KEPT,
    says: /untracked: ONE\.txt/,
  },
  {
    name: 'renamed',
    make: ({ path }) => rename(join(path, 'one.txt'), join(path, 'One.txt')),
    outcomes: KEPT,
    says: /changed: one\.txt; untracked: One\.txt/,
  },
  {
    name: 'a name of bytes that are no text',
    make: ({ path }) => writeFile(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff, 0x0a, 0x41])]), 'work\n'),
    outcomes: KEPT,
    says: /^untracked: /,
  },
  {
    name: 'a link instead of a file',
    make: async ({ path }) => {
      await unlink(join(path, 'one.txt'));
      await symlink('src/two.txt', join(path, 'one.txt'));
    },
    outcomes: KEPT,
    says: /^changed: one\.txt$/,
  },
  {
    name: 'a repository in it, without commits',
    make: ({ stage, path }) => stage.git(['init', '-q', 'inner'], path),
    outcomes: KEPT,
    says: /^untracked: inner\/$/,
  },
  {
    name: 'a repository in an ignored folder of it',
    make: ({ stage, path }) => stage.git(['init', '-q', 'build/inner'], path),
    outcomes: KEPT,
    says: /ignored: build\/inner\/$/,
  },
  {
    name: 'a worktree of the user in it',
    make: ({ stage, path }) => stage.git(['worktree', 'add', '-q', '--detach', 'inner'], path),
    outcomes: { ...KEPT, discard: 'kept' },
    says: /^another worktree is in it \(.*inner\)$/,
  },
  { name: 'placed files', make: place, outcomes: REMOVED },
  {
    name: 'a placed link replaced by a folder',
    make: async (at) => {
      await place(at);
      await unlink(join(at.path, 'node_modules'));
      await mkdir(join(at.path, 'node_modules'));
      await write(at.path, 'node_modules/new.js');
    },
    outcomes: KEPT,
    says: /node_modules was changed since it was placed there/,
  },
  {
    name: 'a placed link that leads elsewhere',
    make: async (at) => {
      await place(at);
      await unlink(join(at.path, 'node_modules'));
      await symlink('/', join(at.path, 'node_modules'));
    },
    outcomes: KEPT,
    says: /^node_modules was changed since it was placed there$/,
  },
  {
    name: 'a placed copy that was changed',
    make: async (at) => {
      await place(at);
      await write(at.path, '.env', 'SECRET=2\n');
    },
    outcomes: KEPT,
    says: /^\.env was changed since it was placed there$/,
  },
  {
    name: 'a placed copy that was deleted',
    make: async (at) => {
      await place(at);
      await unlink(join(at.path, '.env'));
    },
    outcomes: KEPT,
    says: /^\.env is gone, which was placed there$/,
  },
  {
    name: 'a placed copy that was added to git',
    make: async (at) => {
      await place(at);
      await at.stage.git(['add', '--force', '.env'], at.path);
    },
    outcomes: KEPT,
    says: /^changed: \.env$/,
  },
  {
    name: 'a damaged index',
    make: ({ record }) => writeFile(join(record.gitDir ?? '', 'index'), 'DIRCdamaged'),
    outcomes: KEPT,
    says: /^it could not be checked: .*index/,
  },
  {
    name: 'no index any more',
    make: ({ record }) => rm(join(record.gitDir ?? '', 'index')),
    outcomes: KEPT,
    says: /changed: .*untracked: /,
  },
];

describe('WT-7: the files of a worktree, at its end, on resume, swept and removed', () => {
  it.each(STATES.map((state) => [state.name, state] as const))('%s', (_name, state) => actOnState(state));
});

/** Repositories that make a plain `git status` run a program, each in a way that a look may miss. */

import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Hostile = {
  readonly name: string;
  /** Builds it in an empty folder; `program` is what it makes git run. */
  make(folder: string, program: string): Promise<void>;
  readonly command: string;
  /** Where the shell stands, below the folder. */
  readonly at?: string;
};

async function file(path: string, content: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
}

const watcher = (program: string, more = '') =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = ${program}\n${more}`;

/** The files of a repository without `.git`. */
async function bare(folder: string, program: string): Promise<void> {
  await file(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  for (const name of ['refs/heads', 'objects']) await mkdir(join(folder, name), { recursive: true });
  await file(join(folder, 'config'), watcher(program, '\tworktree = .\n'));
}

export const HOSTILE: readonly Hostile[] = [
  {
    name: 'an embedded bare repository whose objects are a link',
    command: 'git status',
    at: 'vendor',
    make: async (folder, program) => {
      await bare(join(folder, 'vendor'), program);
      await rm(join(folder, 'vendor', 'objects'), { recursive: true });
      await mkdir(join(folder, 'elsewhere'));
      await symlink('../elsewhere', join(folder, 'vendor', 'objects'));
    },
  },
  {
    name: 'a link into a folder of another repository',
    command: 'cd link && git status',
    make: async (folder, program) => {
      execFileSync('git', ['init', '-q', folder]);
      await mkdir(join(folder, 'deep', 'src'), { recursive: true });
      execFileSync('git', ['init', '-q', join(folder, 'deep')]);
      execFileSync('git', ['-C', join(folder, 'deep'), 'config', 'core.fsmonitor', program]);
      await symlink('deep/src', join(folder, 'link'));
    },
  },
  {
    name: 'a commondir elsewhere',
    command: 'git status',
    make: async (folder, program) => {
      await file(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
      await file(join(folder, '.git', 'commondir'), '../shared\n');
      await bare(join(folder, 'shared'), program);
      await file(join(folder, 'shared', 'config'), watcher(program));
      await rm(join(folder, 'shared', 'HEAD'));
    },
  },
  {
    name: 'a hook behind 3,000 samples',
    command: 'git status',
    make: async (folder, program) => {
      execFileSync('git', ['init', '-q', folder]);
      await file(join(folder, 'f'), 'x\n');
      execFileSync('git', ['-C', folder, 'add', 'f']);
      execFileSync('touch', ['-d', '2001-01-01', join(folder, 'f')]);
      const hooks = join(folder, '.git', 'hooks');
      await mkdir(hooks, { recursive: true });
      for (let index = 0; index < 3_000; index += 1) await writeFile(join(hooks, `a${index}.sample`), '');
      await writeFile(join(hooks, 'post-index-change'), `#!/bin/sh\n${program}\n`);
      await chmod(join(hooks, 'post-index-change'), 0o755);
    },
  },
  {
    name: 'an empty .git beside the files of a bare repository',
    command: 'git status',
    make: async (folder, program) => {
      await bare(folder, program);
      await mkdir(join(folder, '.git'));
    },
  },
  {
    name: 'a bare layout written into a folder, then entered',
    command: 'git status',
    at: 'sub',
    make: async (folder, program) => {
      execFileSync('git', ['init', '-q', folder]);
      await bare(join(folder, 'sub'), program);
    },
  },
  {
    name: 'a nested repository that an agent starts in',
    command: 'git status',
    at: 'nested/src',
    make: async (folder, program) => {
      execFileSync('git', ['init', '-q', folder]);
      await mkdir(join(folder, 'nested', 'src'), { recursive: true });
      execFileSync('git', ['init', '-q', join(folder, 'nested')]);
      execFileSync('git', ['-C', join(folder, 'nested'), 'config', 'core.fsmonitor', program]);
    },
  },
  {
    name: 'a bare repository whose HEAD is a link',
    command: 'git status',
    at: 'sub',
    make: async (folder, program) => {
      await bare(join(folder, 'sub'), program);
      await rm(join(folder, 'sub', 'HEAD'));
      await symlink('refs/heads/main', join(folder, 'sub', 'HEAD'));
    },
  },
  {
    name: 'a .git that is a link to a folder',
    command: 'git status',
    at: 'sub',
    make: async (folder, program) => {
      await mkdir(join(folder, 'sub'), { recursive: true });
      execFileSync('git', ['init', '-q', join(folder, 'other')]);
      execFileSync('git', ['-C', join(folder, 'other'), 'config', 'core.fsmonitor', program]);
      await symlink('../other/.git', join(folder, 'sub', '.git'));
    },
  },
  {
    name: 'a file of its own for the worktree',
    command: 'git status',
    make: async (folder, program) => {
      execFileSync('git', ['init', '-q', folder]);
      execFileSync('git', ['-C', folder, 'config', 'extensions.worktreeConfig', 'true']);
      await file(join(folder, '.git', 'config.worktree'), watcher(program));
    },
  },
  {
    name: 'an included file',
    command: 'git status',
    make: async (folder, program) => {
      execFileSync('git', ['init', '-q', folder]);
      execFileSync('git', ['-C', folder, 'config', 'include.path', '../more']);
      await file(join(folder, 'more'), watcher(program));
    },
  },
];

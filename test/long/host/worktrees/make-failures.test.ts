import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Files } from '../../../../src/host/files.js';
import type { Made } from '../../../../src/host/worktrees/make-worktree.js';
import {
  FAILED,
  fails,
  MAKING,
  WHOLE,
  wholeRepository,
  withGit,
} from '../../../program/host/worktrees/make-failures-stage.js';
import { filesIn, type Repository, traces } from '../../../program/host/worktrees/make-repository.js';

describe('a worktree that can not be made', () => {
  it.each(MAKING)('WT-14: leaves nothing when git %s is killed after it has worked', async (word) => {
    const repository = await wholeRepository();
    const host = withGit(repository.host, word, async (run, command) => {
      await run(command);
      return { ...FAILED, code: null, signal: 'SIGKILL' };
    });
    await fails(repository, host);
  });

  it.each(['write-tree', ...MAKING])('WT-14: leaves nothing when it is cancelled at git %s', async (word) => {
    const repository = await wholeRepository();
    const abort = new AbortController();
    const host = withGit(repository.host, word, (run, command) => {
      abort.abort();
      return run(command);
    });
    expect(await fails(repository, host, abort.signal)).toBe('it was cancelled');
  });

  it('WT-14: leaves nothing when a file can not be written', async () => {
    const repository = await wholeRepository();
    const { host } = repository;
    const calls = ['replace', 'makeFolder', 'holdFolder', 'makeLink', 'create'] as const;
    for (const call of calls) {
      for (let at = 1; at < 20; at += 1) {
        let n = 0;
        const real = host.files[call] as (...args: unknown[]) => Promise<never>;
        const broken = async (...args: unknown[]) => {
          n += 1;
          if (n === at) throw Object.assign(new Error('EIO: made up'), { code: 'EIO' });
          return real(...args);
        };
        const faulty = { ...host, files: { ...host.files, [call]: broken } as Files };
        const before = await traces(repository);
        const made = await repository.make(WHOLE, { host: faulty });
        if (made.ok) {
          await takeAway(repository, made);
          // Some are no reason to fail: a copy that can't be made is noted.
          if (n < at) break;
        }
        expect({ call, at, left: await traces(repository) }).toEqual({ call, at, left: before });
      }
    }
  });
});

describe('many at once', () => {
  it('WT-5: 20 are made together on one repository, each whole', async () => {
    const repository = await wholeRepository();
    const names = Array.from({ length: 20 }, (_, index) => `agent-${index}`);
    const made = await Promise.all(names.map((name) => repository.made({ ...WHOLE, name })));
    for (const { record } of made) {
      expect(Object.keys(await filesIn(record.path)).toSorted()).toEqual([
        '.env',
        '.gitignore',
        '.worktreeinclude',
        'a.txt',
        'b/c.txt',
        'b/new.txt',
        'lib',
      ]);
    }
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(21);
    expect(new Set(made.map(({ record }) => record.branch)).size).toBe(20);
    expect((await repository.read('.git/info/exclude')).split('\n')).toEqual(['/.claude/worktrees/', '/lib', '']);
  });
});

async function takeAway({ git, top }: Repository, { record, use }: Extract<Made, { ok: true }>): Promise<void> {
  await use.release();
  git('worktree', 'remove', '--force', '--force', record.path);
  git('branch', '-D', record.branch);
  await rm(join(top, '.git/coppice/worktrees/agent-1a2b3c4d.json'));
  await rm(join(top, '.claude'), { recursive: true });
}

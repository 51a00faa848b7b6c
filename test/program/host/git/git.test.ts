import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCheckout } from '../../../../src/host/git/checkout.js';
import { openGit } from '../../../../src/host/git/git.js';
import { makeRepository } from '../worktrees/make-repository.js';

describe('git for ourselves', () => {
  it('WT-1: filters are off in a folder that is not trusted; one that can not be switched off stops everything', async () => {
    const { top, git, host } = await makeRepository({ 'a.txt': 'one\n', '.gitattributes': '*.txt filter=x\n' });
    git('config', 'filter.x.smudge', 'echo smudged #');
    const untrusted = await openGit(host, top, { trusted: false });
    const trusted = await openGit(host, top, { trusted: true });
    const asked = ['cat-file', '--filters', 'HEAD:a.txt'];
    expect((await untrusted(asked)).text).toBe('one');
    expect((await trusted(asked)).text).toBe('smudged');
    const config = await readFile(join(top, '.git/config'), 'latin1');
    await writeFile(join(top, '.git/config'), `${config}[filter "\xe9"]\n\tsmudge = echo smudged\n`, 'latin1');
    const stopped = await openGit(host, top, { trusted: false });
    expect(await stopped(['status'])).toMatchObject({ ok: false, reason: expect.stringContaining('is not UTF-8') });
    // Nor is anything run where it is not known which there are.
    await writeFile(join(top, '.git/config'), config);
    const run: typeof host.processes.run = async (command) => {
      const done = await host.processes.run(command);
      return command.args[0] === 'config' ? { ...done, code: null, stdout: Buffer.alloc(0) } : done;
    };
    const unknown = await openGit({ ...host, processes: { ...host.processes, run } }, top, { trusted: false });
    expect((await unknown(asked)).ok).toBe(false);
  });

  it('GT-26: nothing is fetched for a folder that is not trusted; otherwise with the user’s credentials', async () => {
    const { top, git, host } = await makeRepository();
    git('config', 'core.sshCommand', 'echo of-the-repository');
    const env = { ...host.env, GIT_SSH_COMMAND: 'echo of-the-person', GIT_DIR: '/nowhere' };
    const variables = async (trusted: boolean) => {
      const run = await openGit({ ...host, env }, top, { trusted });
      const { text } = await run(['-c', 'alias.env=!env', 'env']);
      const kept = text.split('\n').filter((line) => /^GIT_(SSH_COMMAND|ALLOW_PROTOCOL)=/.test(line));
      return [...kept.toSorted(), (await run(['config', 'core.sshCommand'])).text];
    };
    expect(await variables(true)).toEqual(['GIT_SSH_COMMAND=echo of-the-person', 'echo of-the-repository']);
    expect(await variables(false)).toEqual(['GIT_ALLOW_PROTOCOL=', 'false']);
  });

  it('WT-1: a checkout is found from a folder in it, with the names that are real', async () => {
    const { top, git, host } = await makeRepository();
    await mkdir(join(top, 'deep/er'), { recursive: true });
    git('worktree', 'add', '--quiet', '../linked');
    const find = async (folder: string) => {
      const found = await findCheckout(host, folder, { trusted: false });
      if (!found.ok) throw new Error(found.reason);
      const { git: _, ...checkout } = found.checkout;
      return checkout;
    };
    const common = join(top, '.git');
    expect(await find(join(top, 'deep/er'))).toEqual({
      top,
      prefix: 'deep/er',
      gitDir: common,
      commonDir: common,
      trusted: false,
    });
    expect(await find(join(top, '../linked'))).toMatchObject({
      top: join(top, '../linked'),
      prefix: '',
      gitDir: join(common, 'worktrees/linked'),
      commonDir: common,
    });
    await writeFile(join(top, '../linked/.git'), 'gitdir: /nowhere\n');
    await expect(find(join(top, '../linked'))).rejects.toThrow('is not in a git repository');
  });
});

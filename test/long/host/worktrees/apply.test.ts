/** The work of an agent comes back: what merges arrives, unstaged; what does not changes nothing (WT-12). */

import { describe, expect, it } from 'vitest';
import { changesOf, LINES, setApplyStage } from '../../../program/host/worktrees/apply-stage.js';

describe('WT-12 apply: what arrives', () => {
  it('WT-12: onto other commits and another branch than it began with', async () => {
    const stage = await setApplyStage();
    const { child, repo } = stage;
    repo.git('checkout', '-q', '-b', 'other');
    await repo.write('f', LINES.replace('one', 'ONE'));
    await repo.write('theirs', 'x\n');
    repo.commit();
    await child.write('f', LINES.replace('nine', 'NINE'));
    expect(changesOf(await stage.apply())).toEqual({ f: 'changed' });
    expect(await repo.read('f')).toBe(LINES.replace('one', 'ONE').replace('nine', 'NINE'));
    expect(await repo.read('theirs')).toBe('x\n');
    expect(repo.git('branch', '--show-current')).toBe('other\n');
  });

  it('WT-12: a file in the place of a folder, and a folder in the place of a file', async () => {
    const stage = await setApplyStage({ before: (repo) => repo.write('folder/sub/more', 'more\n') });
    const { child, repo } = stage;
    await child.remove('folder');
    await child.write('folder', 'a file now\n');
    await child.remove('g');
    await child.write('g/inner', 'a folder now\n');
    expect(changesOf(await stage.apply())).toEqual({
      folder: 'added',
      'folder/inner': 'deleted',
      'folder/sub/more': 'deleted',
      g: 'deleted',
      'g/inner': 'added',
    });
    expect(await repo.read('folder')).toBe('a file now\n');
    expect(await repo.read('g/inner')).toBe('a folder now\n');
  });

  it('WT-12: line ends are those of the attributes, also of ones that arrive with it', async () => {
    const stage = await setApplyStage({
      before: async (repo) => {
        await repo.write('.gitattributes', '*.txt text eol=crlf\n');
        await repo.write('a.txt', 'one\r\ntwo\r\n');
        repo.commit();
      },
    });
    const { child, repo } = stage;
    await child.write('a.txt', 'one\r\nTWO\r\n');
    await child.write('.gitattributes', '*.txt text eol=crlf\n*.bat text eol=crlf\n');
    await child.write('b.bat', 'x\r\ny\r\n');
    await stage.apply();
    expect(await repo.read('a.txt')).toBe('one\r\nTWO\r\n');
    expect(await repo.read('b.bat')).toBe('x\r\ny\r\n');
    expect(repo.git('show', `${repo.git('hash-object', '-w', 'b.bat').trim()}`)).toBe('x\ny\n');
  });

  it('WT-12: links that we put there ourselves do not come back, other than those the agent made', async () => {
    const stage = await setApplyStage({
      before: async (repo) => {
        await repo.write('.gitignore', 'node_modules/\n');
        repo.commit();
        await repo.write('node_modules/x', 'x');
      },
      symlinkDirectories: ['node_modules'],
    });
    // Only our line hides the link from git; the file is the user's.
    await stage.repo.write('.git/info/exclude', '');
    await stage.child.write('g', 'G\n');
    expect(changesOf(await stage.apply())).toEqual({ g: 'changed' });
  });
});

import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../support/scratch.js';
import { LINE, linesOf } from './make-extras-stage.js';
import { filesIn, makeRepository, type Repository, repositoryAt, traces } from './make-repository.js';

describe('the folder of worktrees', () => {
  it('WT-1: is not shown as untracked: one line in the list of the repository itself, added once', async () => {
    const repository = await makeRepository();
    // Existing content stays unchanged, in any encoding.
    const theirs = Buffer.from('mine\nd\xe9j\xe0', 'latin1');
    await writeFile(join(repository.top, '.git/info/exclude'), theirs);
    await Promise.all(['a', 'b', 'c'].map((name) => repository.made({ name })));
    const content = await readFile(join(repository.top, '.git/info/exclude'));
    expect(content).toEqual(Buffer.concat([theirs, Buffer.from(`\n${LINE}\n`)]));
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  it('WT-1: needs no line where git ignores it already', async () => {
    const repository = await makeRepository({ '.gitignore': '.claude/worktrees\n' });
    const before = await linesOf(repository);
    await repository.made();
    expect(await linesOf(repository)).toEqual(before);
    expect(repository.git('status', '--porcelain')).toBe('');
  });
});

describe('worktree.sparsePaths', () => {
  const files = {
    'top.txt': '1\n',
    'a/one.txt': '1\n',
    'a/deep/two.txt': '2\n',
    'b/three.txt': '3\n',
    'c/[id]/four.txt': '4\n',
    'c/i/five.txt': '5\n',
  };

  it('WT-3: folders are checked out with the files on the way to them, and the record contains them', async () => {
    const repository = await makeRepository(files);
    const { record } = await repository.made({ sparsePaths: ['./a/deep/', 'c/[id]'] });
    expect(Object.keys(await filesIn(record.path)).toSorted()).toEqual([
      'a/deep/two.txt',
      'a/one.txt',
      'c/[id]/four.txt',
      'top.txt',
    ]);
    expect(record.sparse).toEqual(['a/deep', 'c/[id]']);
    expect(repository.gitIn(record.path, 'status', '--porcelain')).toBe('');
    // The checkout itself stays whole.
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(Object.keys(await filesIn(repository.top))).toHaveLength(6);
    expect((await repository.made({ name: 'whole' })).record).not.toHaveProperty('sparse');
  });

  it('WT-3: paths that leave the repository are refused, one that is not there is noted, none at all is refused', async () => {
    const repository = await makeRepository(files);
    for (const path of ['../x', 'a/../../x', '/etc', '', '.', 'a\nb', '!../x']) {
      expect(await refused(repository, { sparsePaths: ['a', path] })).toContain('give paths inside the repository');
    }
    expect(await refused(repository, { sparsePaths: ['x', 'y'] })).toContain(
      'none of these paths is in the repository',
    );
    const { notes } = await repository.made({ sparsePaths: ['a', 'x'] });
    expect(notes).toEqual(['worktree.sparsePaths: x is not in the repository']);
  });
});

describe('worktree.symlinkDirectories', () => {
  it('WT-3: are linked, recorded, and can not be committed by accident', async () => {
    const repository = await makeRepository({ 'a.txt': '1\n', '.gitignore': 'node_modules/\n', 'p/x.txt': 'x\n' });
    const { top } = repository;
    await repository.write({ 'node_modules/m/index.js': '1\n', 'p/node_modules/n.js': '2\n' });
    const { record, notes } = await repository.made({
      symlinkDirectories: ['node_modules/', 'p/node_modules', 'gone'],
    });
    expect(record.placed).toEqual([
      { kind: 'link', path: 'node_modules', target: join(top, 'node_modules') },
      { kind: 'link', path: 'p/node_modules', target: join(top, 'p/node_modules') },
    ]);
    expect(await readlink(join(record.path, 'node_modules'))).toBe(join(top, 'node_modules'));
    expect(await readFile(join(record.path, 'p/node_modules/n.js'), 'utf8')).toBe('2\n');
    expect(notes).toEqual(['worktree.symlinkDirectories: gone was not linked: there is no such folder']);
    // `node_modules/` means a folder, not a link.
    expect(repository.gitIn(record.path, 'status', '--porcelain')).toBe('');
    expect(await linesOf(repository)).toEqual([LINE, '/node_modules', '/p/node_modules']);
    // From there, the next one is linked to the same folder.
    const inner = repositoryAt(record.path, join(top, '..'));
    const second = await inner.made({ name: 'second', symlinkDirectories: ['node_modules'] });
    expect(second.record.placed).toEqual([{ kind: 'link', path: 'node_modules', target: join(top, 'node_modules') }]);
  });

  it('WT-3: folders that are tracked, lead outside, or have no parent there are left out with a note', async () => {
    const repository = await makeRepository({ 'src/a.txt': '1\n', '.gitignore': 'out\nnew\nempty\n' });
    const { top } = repository;
    await symlink(await scratchFolder(), join(top, 'out'));
    await repository.write({ 'new/deep/x': 'x', file: 'x' });
    const { record, notes } = await repository.made({ symlinkDirectories: ['src', 'out', 'new/deep', 'file'] });
    expect(record.placed).toEqual([]);
    expect(notes).toEqual([
      expect.stringMatching(/src was not linked: git has files in it/),
      expect.stringMatching(/out was not linked: it leads to .*, outside of the repository/),
      expect.stringMatching(/file was not linked: there is no such folder/),
      expect.stringMatching(/new\/deep was not linked: .* is not a folder of the worktree/),
    ]);
    expect(await filesIn(record.path)).toEqual({ 'src/a.txt': '1\n', '.gitignore': 'out\nnew\nempty\n' });
    // Untracked and not ignored: it comes with the changes, unchanged.
    const dirty = await repository.made({ name: 'dirty', includeDirty: true, symlinkDirectories: ['lib'] });
    expect(dirty.record.placed).toEqual([]);
    for (const name of ['../x', '/etc', '.', 'a/../..', '.git', '']) {
      const reason = await refused(repository, { name: 'wrong', symlinkDirectories: [name] });
      expect(reason).toContain('worktree.symlinkDirectories:');
    }
  });
});

describe('.worktreeinclude', () => {
  const list = '# secrets\n.env*\n!.env.example\n/config/local/\nnotes.txt\na.txt\n';

  it('WT-3: copies the ignored files it names, with their modes, and records their hashes', async () => {
    const repository = await makeRepository({
      'a.txt': '1\n',
      '.gitignore': '.env*\nlocal/\nnode_modules/\n',
      '.worktreeinclude': list,
    });
    const { top } = repository;
    await repository.write({
      '.env': 'KEY=1\n',
      '.env.example': 'KEY=\n',
      'sub/.env.local': 'KEY=2\n',
      'config/local/x.json': '{}\n',
      'local/not-named': 'x\n',
      'notes.txt': 'not ignored\n',
      'node_modules/.env': 'in a linked folder\n',
    });
    await chmod(join(top, '.env'), 0o640);
    await symlink('/etc/passwd', join(top, '.env.link'));
    const { record, notes } = await repository.made({ symlinkDirectories: ['node_modules'] });
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(record.placed).toEqual([
      { kind: 'link', path: 'node_modules', target: join(top, 'node_modules') },
      { kind: 'copy', path: '.env', sha256: sha256('KEY=1\n') },
      { kind: 'copy', path: 'config/local/x.json', sha256: sha256('{}\n') },
      { kind: 'copy', path: 'sub/.env.local', sha256: sha256('KEY=2\n') },
    ]);
    expect(await filesIn(record.path)).toEqual({
      'a.txt': '1\n',
      '.gitignore': '.env*\nlocal/\nnode_modules/\n',
      '.worktreeinclude': list,
      '.env': 'KEY=1\n',
      'config/local/x.json': '{}\n',
      'sub/.env.local': 'KEY=2\n',
      node_modules: '(link)',
    });
    expect((await stat(join(record.path, '.env'))).mode & 0o777).toBe(0o640);
    expect(notes).toEqual(['.worktreeinclude: .env.link was not copied: it is not a plain file']);
    expect(repository.gitIn(record.path, 'status', '--porcelain')).toBe('');
    expect(await repository.read('.env')).toBe('KEY=1\n');
  });

  it('WT-3: copies nothing through a link, nothing that git would take, and nothing beyond the limit', async () => {
    const repository = await makeRepository({ '.worktreeinclude': '*.key\n' });
    const { top } = repository;
    const outside = await scratchFolder();
    await writeFile(join(outside, 'far.key'), 'far\n');
    await symlink(outside, join(top, 'far'));
    // Ignored here by a line that is not committed: there, it would be an untracked file.
    await repository.write({ '.gitignore': '*.key\nfar\n', 'near.key': 'x'.repeat(100) });
    const { record, notes } = await repository.made();
    expect(await filesIn(record.path)).toEqual({ '.worktreeinclude': '*.key\n' });
    expect(notes).toEqual([expect.stringMatching(/^near.key was not copied: git does not ignore it in the worktree/)]);
    const with100 = await repository.made({ name: 'with-100', includeDirty: true, maxOverlayBytes: 100 });
    expect(with100.record.placed).toHaveLength(1);
    const reason = await refused(repository, { name: 'with-99', maxOverlayBytes: 99 });
    expect(reason).toContain('.worktreeinclude names more than 99 bytes (setting worktree.maxOverlayBytes)');
    await rm(join(top, '.worktreeinclude'));
    await symlink(join(outside, 'far.key'), join(top, '.worktreeinclude'));
    const linked = await repository.made({ name: 'linked' });
    expect(linked.notes).toEqual(['.worktreeinclude is not a plain file: nothing was copied']);
  });

  it('WT-7: the record names what will be placed before it is', async () => {
    const repository = await makeRepository({ '.gitignore': '.env\nlib\n', '.worktreeinclude': '.env\n' });
    const { host, top } = repository;
    await repository.write({ '.env': 'x\n' });
    await mkdir(join(top, 'lib'));
    const seen: unknown[] = [];
    const makeLink: typeof host.files.makeLink = async (target, path) => {
      const record = JSON.parse(await repository.read('.git/coppice/worktrees/agent-1a2b3c4d.json'));
      seen.push(
        record.stage,
        record.placed.map((one: { path: string }) => one.path),
        record.gitDir,
      );
      await host.files.makeLink(target, path);
    };
    const watched = { ...host, files: { ...host.files, makeLink } };
    await repository.made({ symlinkDirectories: ['lib'] }, { host: watched });
    expect(seen).toEqual(['making', ['lib', '.env'], join(top, '.git/worktrees/agent-1a2b3c4d')]);
  });
});

async function refused(repository: Repository, request: Parameters<Repository['make']>[0]): Promise<string> {
  const before = await traces(repository);
  const made = await repository.make(request);
  if (made.ok) throw new Error('it was made');
  expect(await traces(repository)).toEqual(before);
  return made.reason;
}

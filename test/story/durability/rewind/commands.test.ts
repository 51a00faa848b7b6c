/** GT-36 and DU-23: what file commands delete, overwrite or create goes back with a rewind. */

import { chmod, link, mkdir, readdir, readFile, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../../support/story.js';
import { until } from '../../../support/until.js';
import { lastSent } from '../../../support/wire-body.js';
import { type Changing, expectAllBack, git, openChanging, setCommandStage, snapshot } from './command-stage.js';

async function setTree() {
  const stage = await setCommandStage();
  await stage.write('a.txt', 'one\n');
  await stage.write('tree/sub/b.txt', 'two\n');
  await stage.write('tree/run.sh', '#!/bin/sh\n');
  await mkdir(join(stage.folder, 'tree/empty'));
  await symlink('../a.txt', join(stage.folder, 'tree/to-a'));
  await symlink('nowhere', join(stage.folder, 'tree/broken'));
  await chmod(join(stage.folder, 'tree/run.sh'), 0o751);
  await chmod(join(stage.folder, 'tree/empty'), 0o711);
  return stage;
}

describe('GT-36 DU-23: a rewind takes back', () => {
  const CASES: readonly (readonly [string, readonly string[]])[] = [
    ['rm a.txt', ['a.txt']],
    ['rm -r tree', ['tree']],
    ['chmod 555 tree/empty tree; rm -r tree/sub; rm -rf tree', ['tree']],
    ['mv a.txt c.txt', ['a.txt', 'c.txt']],
    ['mv tree moved', ['tree', 'moved']],
    ['sed -i s/one/three/ a.txt', ['a.txt']],
    ['echo x > a.txt', ['a.txt']],
    ['echo x >> a.txt', ['a.txt']],
    ['echo x > new.txt', ['new.txt']],
    ['mkdir -p new/deep/er; touch new/deep/er/f', ['new/deep/er', 'new/deep/er/f']],
    ['chmod 600 a.txt tree/run.sh', ['a.txt', 'tree/run.sh']],
    ['chmod -R a-w tree', ['tree']],
    ['ln -sf a.txt tree/to-a', ['tree/to-a']],
    ['ln -s a.txt made', ['made']],
    ['cp a.txt tree/run.sh', ['tree/run.sh']],
    ['cp -r tree copy', ['copy']],
    ['cp -r tree/sub tree/empty', ['tree/empty/sub']],
    ['rm -r tree; echo x > tree', ['tree']],
    ['rm a.txt; mkdir a.txt; touch a.txt/f', ['a.txt']],
    ['rm -r tree; ln -s /etc tree', ['tree']],
  ];
  it.each(CASES)('%s', async (command, changes) => {
    await expectAllBack(await setTree(), command, { changes });
  });
});

async function setRepository() {
  const stage = await setTree();
  await stage.write('stays.txt', 'stays\n');
  git(stage.folder, 'init', '-q');
  git(stage.folder, 'add', '.');
  git(stage.folder, 'commit', '-qm', 'x');
  await stage.write('new.txt', 'new\n');
  return stage;
}

describe('GT-36 DU-23: a rewind takes back git’s index with the files', () => {
  const CASES: readonly (readonly [string, Changing])[] = [
    ['git rm -q tree/sub/b.txt', { changes: ['tree/sub/b.txt'], git: true }],
    ['git rm -rq tree', { changes: ['tree'], git: true }],
    ['git mv a.txt tree/a2.txt', { changes: ['a.txt', 'tree/a2.txt'], git: true }],
    ['git add new.txt', { changes: [], git: true }],
    ['cd tree && git rm -q run.sh', { changes: ['tree/run.sh'], git: true }],
  ];
  it.each(CASES)('%s', async (command, changing) => {
    const stage = await setRepository();
    const [files, index] = [snapshot(stage.folder), git(stage.folder, 'ls-files', '-s')];
    const session = await openChanging(stage, { [command]: changing });
    await session.send(`run ${command}`);
    expect(git(stage.folder, 'ls-files', '-s')).not.toBe(index);
    // Git looks at the files and updates times in its index: nobody changed anything.
    const path = join(stage.folder, '.git/index');
    const left = await readFile(path);
    await utimes(join(stage.folder, 'stays.txt'), 1, 1);
    git(stage.folder, 'status');
    expect((await readFile(path)).equals(left)).toBe(false);
    expect(await session.rewind({ to: 1, part: 'files' })).toMatchObject({ ok: true, left: [] });
    expect([snapshot(stage.folder), git(stage.folder, 'ls-files', '-s')]).toEqual([files, index]);
    expect(git(stage.folder, 'status', '--porcelain')).toBe('?? new.txt\n');
  });

  it('GT-36 DU-23: what someone has staged since is not unstaged without a question', async () => {
    const stage = await setRepository();
    await stage.write('mine.txt', 'mine\n');
    const session = await openChanging(stage, { 'git add new.txt': { changes: [], git: true } });
    await session.send('run git add new.txt');
    git(stage.folder, 'add', 'mine.txt');
    const index = join(stage.folder, '.git/index');
    expect(await session.rewind({ to: 1, part: 'files' })).toMatchObject({ files: [], left: [{ path: index }] });
    expect(git(stage.folder, 'diff', '--cached', '--name-only')).toBe('mine.txt\nnew.txt\n');
    await session.rewind({ to: 1, part: 'files', mayOverwrite: async () => true });
    expect(git(stage.folder, 'diff', '--cached', '--name-only')).toBe('');
  });
});

describe('GT-36 DU-23: across several commands', () => {
  it('edits and commands go back together, and forward again', async () => {
    const stage = await setTree();
    const commands = { 'mv a.txt b.txt': { changes: ['a.txt', 'b.txt'] }, 'rm b.txt': { changes: ['b.txt'] } };
    const session = await openChanging(stage, commands);
    const states = [snapshot(stage.folder)];
    for (const prompt of ['run mv a.txt b.txt', 'write c.txt new', 'run rm b.txt']) {
      await session.send(prompt);
      states.push(snapshot(stage.folder));
    }
    for (const to of [2, 1, 3, 1]) {
      expect(await session.rewind({ to, part: 'files' })).toMatchObject({ ok: true, left: [] });
      expect(snapshot(stage.folder)).toEqual(states[to - 1]);
    }
  });

  it('the page of prompts counts them like edits, and the preview shows them', async () => {
    const stage = await setTree();
    const session = await openChanging(stage, { 'rm -r tree': { changes: ['tree'] } });
    await session.send('run rm -r tree');
    const reported = await session.execute({ type: 'prompts' });
    expect(reported).toMatchObject({ ok: true, prompts: [{ files: { length: 4 } }] });
    const preview = await session.execute({ type: 'rewind', to: 1, part: 'files', dryRun: true });
    expect(preview).toMatchObject({ ok: true, insertions: 2, deletions: 0 });
    expect(preview.ok && preview.patch).toMatch(/tree\/to-a: nothing becomes a link to \.\.\/a\.txt/);
    expect(preview.ok && preview.patch).toMatch(/tree\/empty: nothing becomes a folder with mode 0711/);
    expect(await readdir(stage.folder)).not.toContain('tree');
  });

  it('what others put into a folder that a command made stays, and so does the folder, unless the user agrees', async () => {
    const stage = await setTree();
    const session = await openChanging(stage, { 'cp -r tree copy': { changes: ['copy'] } });
    await session.send('run cp -r tree copy');
    await stage.write('copy/sub/mine.txt', 'mine\n');
    const copy = join(stage.folder, 'copy');
    const rewound = await session.rewind({ to: 1, part: 'files' });
    expect(rewound.ok && rewound.left.map(({ path }) => path).sort()).toEqual([
      copy,
      join(copy, 'sub'),
      join(copy, 'sub/mine.txt'),
    ]);
    expect(await stage.read('copy/sub/mine.txt')).toBe('mine\n');
    await session.rewind({ to: 1, part: 'files', mayOverwrite: async () => true });
    expect(await readdir(stage.folder)).not.toContain('copy');
  });
});

describe('GT-36 DU-23: in the background', () => {
  it('a command is recorded when it ends, also if it is stopped', async () => {
    const stage = await setTree();
    const before = snapshot(stage.folder);
    const command = 'rm a.txt; sleep 0.2; echo x > tree/run.sh; echo done > late; sleep 60';
    const session = await openChanging(stage, { [command]: { changes: ['a.txt', 'tree/run.sh', 'late'] } });
    await session.send(`wait ${command}`);
    await until(async () => (await readdir(stage.folder)).includes('late'));
    expect(eventsOf(stage, 'files-left')).toEqual([]);
    const [task] = session.tasks();
    await session.execute({ type: 'stop-task', task: task?.id ?? '' });
    await session.settled();
    expect(eventsOf(stage, 'files-left')).toHaveLength(1);
    expect(await session.rewind({ to: 1, part: 'files' })).toMatchObject({ ok: true, left: [] });
    expect(snapshot(stage.folder)).toEqual(before);
  });
});

describe('GT-36: limits', () => {
  it('too many files, or too large: the command is not run, and nothing is stored', async () => {
    const stage = await setCommandStage();
    await mkdir(join(stage.folder, 'many'));
    await Promise.all(
      Array.from({ length: 2_000 }, (_, index) => writeFile(join(stage.folder, 'many', `${index}`), '')),
    );
    await stage.write('large', Buffer.alloc(50_000_001));
    const session = await openChanging(stage, {
      'rm -r many': { changes: ['many'] },
      'rm large': { changes: ['large'] },
    });
    await session.send('run rm -r many');
    expect(lastSent(stage.sim).slice(-900)).toContain('The command was not run: it changes more than 2000 files');
    await session.send('run rm large');
    expect(lastSent(stage.sim).slice(-900)).toContain('more than the 50 MB');
    expect((await readdir(stage.folder)).sort()).toEqual(['large', 'many']);
    expect(eventsOf(stage, 'files-kept')).toEqual([]);
    expect(eventsOf(stage, 'call-intended')).toEqual([]);
  });

  it('what a session has stored counts, and the gate knows what is left', async () => {
    const stage = await setCommandStage();
    const command = 'echo x > f';
    const session = await openChanging(stage, { [command]: { changes: ['f'] } });
    await stage.write('f', 'content');
    const stored = join(session.transcript.replace(/\.jsonl$/, ''), 'files');
    await session.send(`run ${command}`);
    const [name] = await readdir(stored);
    expect((await stat(join(stored, name ?? ''))).mode & 0o777).toBe(0o600);
    await writeFile(join(stored, 'f'.repeat(64)), Buffer.alloc(0));
    await truncate(join(stored, 'f'.repeat(64)), 499_999_990);
    await stage.write('f', 'more content');
    await session.send(`run ${command}`);
    expect(lastSent(stage.sim).slice(-900)).toContain('0 MB that this session may still save');
    expect(await stage.read('f')).toBe('more content');
  });

  it('a pipe is never read: it is skipped, and the result says so', async () => {
    const stage = await setTree();
    const session = await openChanging(stage, {
      'mkfifo tree/pipe': { changes: [] },
      'rm -r tree': { changes: ['tree'] },
    });
    await session.send('run mkfifo tree/pipe');
    await session.send('run rm -r tree');
    expect(lastSent(stage.sim).slice(-900)).toContain(`a rewind can't restore ${join(stage.folder, 'tree/pipe')}`);
    await session.rewind({ to: 2, part: 'files' });
    expect((await readdir(join(stage.folder, 'tree'))).sort()).toEqual(['broken', 'empty', 'run.sh', 'sub', 'to-a']);
  });

  it('of a file with several names the content is stored', async () => {
    const stage = await setTree();
    await link(join(stage.folder, 'a.txt'), join(stage.folder, 'other.txt'));
    await expectAllBack(stage, 'rm a.txt', { changes: ['a.txt'] });
  });
});

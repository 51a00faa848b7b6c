/** CL-7: files as the editor has them: what it may be asked for, and what applies when it fails, hangs or lies. */

import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EditorFiles, withEditorFiles } from '../../../../src/front/acp/editor-files.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { scratchFolder } from '../../../support/scratch.js';

/** Time passes at once: what has a limit has reached it. */
async function stage(editor: Partial<EditorFiles>, { hasTime = true } = {}) {
  const root = join(await scratchFolder(), 'project');
  await mkdir(root);
  const machine = nodeHost(root, {});
  const clock = hasTime
    ? machine.clock
    : { ...machine.clock, after: (_: number, then: () => void) => machine.clock.after(0, then) };
  const asked: string[] = [];
  const noting = <A extends unknown[], T>(work: ((path: string, ...rest: A) => Promise<T>) | undefined) =>
    work &&
    ((path: string, ...rest: A) => {
      asked.push(path);
      return work(path, ...rest);
    });
  const files: EditorFiles = { roots: [root], read: noting(editor.read), write: noting(editor.write) };
  const host = withEditorFiles({ ...machine, clock }, () => files);
  const hold = (folder = root) => host.files.holdFolder(folder);
  const read = async (name: string, folder = root) => {
    const file = await (await hold(folder)).openRead(name);
    try {
      const stat = await file.stat();
      return { text: (await file.read(0, stat.size)).toString('utf8'), stat };
    } finally {
      await file.close();
    }
  };
  return { root, asked, hold, read, path: (name: string) => join(root, name) };
}

const never = () => new Promise<never>(() => {});

describe('reading', () => {
  it.each([
    ['a.txt', true],
    ['.env', true],
    ['CLAUDE.md', false],
    ['claude.local.md', false],
    ['AGENTS.md', false],
    ['.mcp.json', false],
    ['.git/config', false],
    ['.GIT/config', false],
    ['.claude/settings.json', false],
    ['sub/.coppice/x', false],
  ])('CL-7: %s comes from the window: %s', async (name, isIts) => {
    const { path, read } = await stage({ read: async () => 'typed\n' });
    await mkdir(join(path(name), '..'), { recursive: true });
    await writeFile(path(name), 'disk\n');
    const { text } = await read(path(name).split('/').at(-1) ?? '', join(path(name), '..'));
    expect(text).toBe(isIts ? 'typed\n' : 'disk\n');
  });

  it('CL-7: what is outside, a link, no text or too large is never asked for', async () => {
    const { root, path, read, asked } = await stage({ read: async () => 'typed\n' });
    const outside = join(root, '..', 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'o.txt'), 'outside\n');
    await symlink(join(outside, 'o.txt'), path('link.txt'));
    await writeFile(path('binary'), Buffer.from([0xff, 0x00, 0x41]));
    await writeFile(path('latin.txt'), Buffer.from([0x41, 0xe9, 0x0a]));
    await writeFile(path('large.txt'), 'x'.repeat(4 * 1024 * 1024 + 1));
    expect((await read('o.txt', outside)).text).toBe('outside\n');
    await expect(read('link.txt')).rejects.toMatchObject({ code: 'ELOOP' });
    await read('binary');
    await read('latin.txt');
    await read('large.txt');
    expect(asked).toEqual([]);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('no window')), true],
    ['hangs', never, false],
    ['gives no text', async () => undefined as unknown as string, true],
    ['gives a number', async () => 7 as unknown as string, true],
  ])('CL-8: an editor that %s: the disk is used', async (_, answer, hasTime) => {
    const { path, read, asked } = await stage({ read: answer }, { hasTime });
    await writeFile(path('a.txt'), 'disk\n');
    expect((await read('a.txt')).text).toBe('disk\n');
    expect(asked).toEqual([path('a.txt')]);
  });

  it.each([
    ['one\r\ntwo\r\n', 'one\nTWO\n', 'one\r\nTWO\r\n'],
    ['one\r\ntwo\r\n', 'one\ntwo\n', 'one\r\ntwo\r\n'],
    ['\uFEFFone\n', 'ONE\n', '\uFEFFONE\n'],
    ['one\ntwo\n', 'one\ntwo', 'one\ntwo\n'],
    ['one\ntwo\n', 'one\nTWO', 'one\nTWO\n'],
    ['one', 'ONE', 'ONE'],
    ['one\r\ntwo\n', 'one\nTWO\n', 'one\nTWO\n'],
  ])('CL-7: %j on disk, %j in the window: read as %j', async (disk, typed, text) => {
    const { path, read } = await stage({ read: async () => typed });
    await writeFile(path('a.txt'), disk);
    expect((await read('a.txt')).text).toBe(text);
  });
});

describe('writing', () => {
  it('CL-7: goes through the editor, and what changed since is not written over', async () => {
    const { path, hold, read, asked } = await stage({
      read: async () => 'typed\n',
      write: (file, text) => writeFile(file, text),
    });
    await writeFile(path('a.txt'), 'disk\n');
    const { stat } = await read('a.txt');
    asked.length = 0;
    await (await hold()).replace('a.txt', 'new\n', { was: stat });
    expect(asked).toEqual([path('a.txt')]);
    expect(await readFile(path('a.txt'), 'utf8')).toBe('new\n');
    await expect((await hold()).replace('a.txt', 'newer\n', { was: stat })).rejects.toMatchObject({ code: 'ESTALE' });
    await expect((await hold()).replace('a.txt', 'x', { was: 'nothing' })).rejects.toMatchObject({ code: 'ESTALE' });
    expect(await readFile(path('a.txt'), 'utf8')).toBe('new\n');
  });

  it('CL-7: a link is replaced, never followed by the editor', async () => {
    const { root, path, hold, asked } = await stage({ write: (file, text) => writeFile(file, text) });
    const outside = join(root, '..', 'outside.txt');
    await writeFile(outside, 'outside\n');
    await symlink(outside, path('link.txt'));
    await (await hold()).replace('link.txt', 'mine\n');
    expect(await readFile(outside, 'utf8')).toBe('outside\n');
    expect(await readFile(path('link.txt'), 'utf8')).toBe('mine\n');
    await link(outside, path('other-name.txt'));
    await (await hold()).replace('other-name.txt', 'mine\n');
    expect(await readFile(outside, 'utf8')).toBe('outside\n');
    expect(asked).toEqual([]);
  });

  it.each(['.git/hooks/pre-commit', '.claude/settings.json', '.mcp.json', 'CLAUDE.md'])(
    'CL-7: %s is not written by the editor',
    async (name) => {
      const { path, hold, asked } = await stage({ write: async () => {} });
      const folder = join(path(name), '..');
      await mkdir(folder, { recursive: true });
      await (await hold(folder)).replace(name.split('/').at(-1) ?? '', 'x');
      expect(asked).toEqual([]);
      expect(await readFile(path(name), 'utf8')).toBe('x');
    },
  );

  it('CL-8: refused, or kept in a window only: the disk has it; unanswered: an error that reports it', async () => {
    for (const write of [() => Promise.reject(new Error('no')), async () => {}]) {
      const { path, hold } = await stage({ write });
      await writeFile(path('a.txt'), 'disk\n');
      await (await hold()).replace('a.txt', 'new\n');
      await (await hold()).replace('b.txt', 'new\n', { was: 'nothing' });
      expect(await readFile(path('a.txt'), 'utf8')).toBe('new\n');
      expect(await readFile(path('b.txt'), 'utf8')).toBe('new\n');
    }
    const { path, hold } = await stage({ write: never }, { hasTime: false });
    await writeFile(path('a.txt'), 'disk\n');
    await expect((await hold()).replace('a.txt', 'new\n')).rejects.toThrow('did not answer');
    expect(await readFile(path('a.txt'), 'utf8')).toBe('disk\n');
  });

  it('CL-7: bytes that are no text, and files with their own mode, are handled on disk', async () => {
    const { path, hold, asked } = await stage({ write: async () => {} });
    await (await hold()).replace('binary', Buffer.from([0xff, 0x00]));
    await (await hold()).replace('run.sh', 'x', { mode: 0o755, exact: true });
    expect(asked).toEqual([]);
    expect(await readFile(path('binary'))).toEqual(Buffer.from([0xff, 0x00]));
  });
});

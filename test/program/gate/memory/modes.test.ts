/** Who may read notes: the user alone where they are not in version control, whatever the umask (ME-3). */

import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../../support/bundle.js';
import { scratchFolder } from '../../../support/scratch.js';
import type { Job } from './note-keeper.js';

const run = promisify(execFile);
const mode = (path: string) => (statSync(path).mode & 0o7777).toString(8);

/** Modes of everything below a folder, by path. */
function modesOf(top: string): Readonly<Record<string, string>> {
  const paths = readdirSync(top, { recursive: true, encoding: 'utf8' }).filter((path) => !path.startsWith('.coppice'));
  return Object.fromEntries(paths.sort().map((path) => [path, mode(join(top, path))]));
}

async function keep(program: string, umask: number, jobs: readonly Omit<Job, 'umask'>[]): Promise<void> {
  const list = jobs.map((job) => ({ ...job, umask }));
  await run(process.execPath, [program, '--keep', JSON.stringify(list)]);
}

describe('ME-3: modes, in a process with its own umask', () => {
  it('ME-3: 0600 and 0700 for private notes, by the umask for the team’s', async () => {
    const program = await bundle(new URL('./note-keeper.ts', import.meta.url), await scratchFolder());
    for (const umask of [0o000, 0o022, 0o077]) {
      const [file, folder] = [(0o666 & ~umask).toString(8), (0o777 & ~umask).toString(8)];
      const write = ['MEMORY.md', 'topics/deep/a.md'];
      const home = await scratchFolder();

      const shared = join(home, 'project/.claude');
      await keep(
        program,
        umask,
        [
          at(home, 'home/.claude/agent-memory/r', true),
          { ...at(home, 'project/.claude/agent-memory-local/r', true), shared },
          at(home, 'project/.claude/agent-memory/r', false),
        ].map((memory) => ({ home, write, memory })),
      );
      expect(modesOf(join(home, 'home')), `user, umask ${umask}`).toEqual({
        '.claude': '700',
        '.claude/agent-memory': '700',
        '.claude/agent-memory/r': '700',
        '.claude/agent-memory/r/MEMORY.md': '600',
        '.claude/agent-memory/r/topics': '700',
        '.claude/agent-memory/r/topics/deep': '700',
        '.claude/agent-memory/r/topics/deep/a.md': '600',
      });

      expect(modesOf(join(home, 'project')), `project, umask ${umask}`).toEqual({
        '.claude': folder,
        '.claude/agent-memory': folder,
        '.claude/agent-memory/r': folder,
        '.claude/agent-memory/r/MEMORY.md': file,
        '.claude/agent-memory/r/topics': folder,
        '.claude/agent-memory/r/topics/deep': folder,
        '.claude/agent-memory/r/topics/deep/a.md': file,
        '.claude/agent-memory-local': '700',
        '.claude/agent-memory-local/r': '700',
        '.claude/agent-memory-local/r/MEMORY.md': '600',
        '.claude/agent-memory-local/r/topics': '700',
        '.claude/agent-memory-local/r/topics/deep': '700',
        '.claude/agent-memory-local/r/topics/deep/a.md': '600',
      });
    }
  });

  it('ME-3: an umask that takes from the user too takes nothing from private notes', async () => {
    const program = await bundle(new URL('./note-keeper.ts', import.meta.url), await scratchFolder());
    const home = await scratchFolder();
    // The folder of our locks is another matter.
    mkdirSync(join(home, '.coppice/locks'), { recursive: true });
    await keep(program, 0o277, [{ home, write: ['a/MEMORY.md'], memory: at(home, 'm/r', true) }]);
    expect(modesOf(join(home, 'm'))).toEqual({ r: '700', 'r/a': '700', 'r/a/MEMORY.md': '600' });
  });

  it('ME-3: what was open to others is private when it is next written, and the team’s keeps its mode', async () => {
    const program = await bundle(new URL('./note-keeper.ts', import.meta.url), await scratchFolder());
    for (const isPrivate of [true, false]) {
      const home = await scratchFolder();
      const memory = at(home, 'm/r', isPrivate);
      for (const name of ['MEMORY.md', 'other.md']) {
        mkdirSync(memory.folder, { recursive: true });
        writeFileSync(join(memory.folder, name), 'old\n');
        chmodSync(join(memory.folder, name), 0o664);
      }
      await keep(program, 0o022, [{ home, write: ['MEMORY.md'], memory }]);
      expect(mode(join(memory.folder, 'MEMORY.md'))).toBe(isPrivate ? '600' : '664');
      // Nobody wrote it.
      expect(mode(join(memory.folder, 'other.md'))).toBe('664');
    }
  });
});

/** Only the folder that holds the whole is there. */
function at(home: string, path: string, isPrivate: boolean) {
  const folder = join(home, path);
  const top = join(home, path.split('/')[0] ?? '');
  mkdirSync(top, { recursive: true });
  expect(dirname(top)).toBe(home);
  return { folder, isPrivate };
}

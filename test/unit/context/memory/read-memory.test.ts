/** MEMORY.md as it is read at a start: only a plain file is opened, and only its beginning is read (ME-3, GT-32). */

import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMemory } from '../../../../src/context/memory/read-memory.js';
import type { Files } from '../../../../src/host/files.js';
import { nodeFiles } from '../../../../src/host/node-files.js';
import { scratchFolder } from '../../../support/scratch.js';

/** The real files, with what was opened. */
function watched(): { readonly files: Files; readonly opened: string[] } {
  const opened: string[] = [];
  const holdFolder: Files['holdFolder'] = async (path) => {
    const held = await nodeFiles.holdFolder(path);
    const openRead: typeof held.openRead = (name) => {
      opened.push(name);
      return held.openRead(name);
    };
    return { ...held, openRead };
  };
  return { files: { ...nodeFiles, holdFolder }, opened };
}

describe('readMemory', () => {
  const traps: readonly (readonly [string, (path: string, outside: string) => unknown])[] = [
    // Opening it would let a writer go on.
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a folder', (path) => mkdirSync(path)],
    ['a link', (path, outside) => symlinkSync(outside, path)],
    ['a device', (path) => symlinkSync('/dev/tty', path)],
  ];

  it.each(traps)('ME-3 GT-32: %s is not even opened', async (_what, trap) => {
    const folder = await scratchFolder();
    const outside = join(await scratchFolder(), 'secret.md');
    writeFileSync(outside, 'secret');
    trap(join(folder, 'MEMORY.md'), outside);
    const { files, opened } = watched();
    expect(await readMemory(files, folder)).toMatchObject({ kind: 'refused', reason: expect.stringContaining(folder) });
    expect(opened).toEqual([]);
  });

  it('ME-3: another name of a file elsewhere is refused, a plain file is read, no file and no folder are no notes', async () => {
    const folder = await scratchFolder();
    expect(await readMemory(nodeFiles, folder)).toEqual({ kind: 'absent' });
    expect(await readMemory(nodeFiles, join(folder, 'missing'))).toEqual({ kind: 'absent' });
    const path = join(folder, 'MEMORY.md');
    writeFileSync(path, 'mine\n');
    expect(await readMemory(nodeFiles, folder)).toMatchObject({ kind: 'read', text: 'mine\n' });
    linkSync(path, join(folder, 'other.md'));
    expect(await readMemory(nodeFiles, folder)).toMatchObject({ kind: 'refused' });
  });
});

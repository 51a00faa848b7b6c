/** Nothing that is read or run on strange input takes the session with it. */

import { execFileSync } from 'node:child_process';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runApart } from '../../../src/host/apart/run-apart.js';
import { nodeFiles } from '../../../src/host/node-files.js';
import { scratchFolder } from '../../support/scratch.js';

describe('work in a thread of its own', () => {
  it('GT-10: gives the result, or says why there is none', async () => {
    const double = (value: number) => value * 2;
    expect(await runApart(double, 21, { deadlineMs: 10_000 })).toEqual({ kind: 'done', value: 42 });
    const broken = () => {
      throw new Error('no');
    };
    expect(await runApart(broken, undefined, { deadlineMs: 10_000 })).toEqual({ kind: 'failed', reason: 'no' });
    const fill = () => {
      const all: number[][] = [];
      for (;;) all.push(new Array(100_000).fill(1.5));
    };
    const full = await runApart(fill, undefined, { deadlineMs: 60_000 });
    expect(full).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/memory/) });
  });

  it('GT-10: ends work without an end, at the deadline or when it is aborted', async () => {
    const forever = () => {
      for (;;);
    };
    expect(await runApart(forever, undefined, { deadlineMs: 50 })).toEqual({ kind: 'too-slow' });
    const abort = new AbortController();
    const running = runApart(forever, undefined, { deadlineMs: 60_000, signal: abort.signal });
    abort.abort();
    expect(await running).toEqual({ kind: 'aborted' });
    expect(await runApart(forever, undefined, { deadlineMs: 1, signal: abort.signal })).toEqual({ kind: 'aborted' });
  });

  it('GT-10: packages are those of the program, not of the working folder', async () => {
    const load = (_: undefined, take: (name: string) => unknown) => typeof take('turndown');
    expect(await runApart(load, undefined, { deadlineMs: 10_000 })).toEqual({ kind: 'done', value: 'function' });
  });
});

describe('files that are none', () => {
  it('GT-10: pipes, devices, folders and giant files are refused at once', async () => {
    const folder = await scratchFolder();
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    await mkdir(join(folder, 'sub'));
    for (const path of [fifo, '/dev/zero', '/dev/null']) {
      await expect(nodeFiles.read(path), path).rejects.toThrow('it is not a regular file');
      await expect(nodeFiles.openRead(path), path).rejects.toThrow('it is not a regular file');
    }
    await expect(nodeFiles.read(join(folder, 'sub'))).rejects.toThrow('it is a folder, not a file');
    await expect(nodeFiles.openRead(join(folder, 'sub'))).rejects.toThrow('it is a folder, not a file');
    const giant = await open(join(folder, 'giant'), 'w');
    await giant.truncate(600 * 1024 * 1024);
    await giant.close();
    await expect(nodeFiles.read(join(folder, 'giant'))).rejects.toThrow('it is too large');
    await writeFile(join(folder, 'file'), 'content');
    expect((await nodeFiles.read(join(folder, 'file'))).toString()).toBe('content');
  });
});

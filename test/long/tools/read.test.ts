import { closeSync, openSync, truncateSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTool } from '../../../src/tools/read/read.js';
import { makeBench } from '../../unit/tools/tool-bench.js';

describe('SF-14: Read gives text with line numbers', () => {
  it('SF-14: a range of a 200 MB file, without loading it', async () => {
    const bench = await makeBench();
    const file = openSync(bench.path('big'), 'w');
    const piece = Buffer.from(`${'0123456789'.repeat(10)}\n`.repeat(10_000));
    for (let i = 0; i < 200; i++) writeSync(file, piece);
    closeSync(file);
    globalThis.gc?.();
    const before = process.memoryUsage();
    let peak = 0;
    const watch = setInterval(() => {
      const now = process.memoryUsage();
      peak = Math.max(peak, now.heapUsed + now.external - before.heapUsed - before.external);
    }, 5);
    const said = await bench.say(readTool, { file_path: 'big', offset: 1_900_000, limit: 2 });
    clearInterval(watch);
    expect(said).toMatch(/^1900000\t0123[\s\S]*\n\(lines 1900000 to 1900001 of 2000000;/);
    expect(peak).toBeLessThan(100 * 1024 * 1024);
    expect(bench.context.files.get(bench.path('big'))?.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('SF-14: one line of 100 MB, and more lines than anybody can read', async () => {
    const bench = await makeBench();
    await bench.write('line', 'start');
    truncateSync(bench.path('line'), 0);
    const file = openSync(bench.path('line'), 'w');
    const piece = Buffer.alloc(10 * 1024 * 1024, 'z');
    for (let i = 0; i < 10; i++) writeSync(file, piece);
    closeSync(file);
    const said = await bench.say(readTool, { file_path: 'line', limit: 100_000_000 });
    expect(said).toBe(`     1\t${'z'.repeat(2000)}… (line cut: ${100 * 1024 * 1024} bytes)`);
    expect(bench.context.files.get(bench.path('line'))?.size).toBe(100 * 1024 * 1024);
  });
});

import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bashTool } from '../../../src/tools/bash/bash.js';
import { makeBench } from '../../unit/tools/tool-bench.js';

describe('FK-9: Bash output is bounded with the rest on disk', () => {
  it('FK-9 SF-14: endless output grows neither memory nor disk beyond their bounds', async () => {
    const bench = await makeBench();
    const before = process.memoryUsage().rss;
    const said = await bench.say(bashTool, { command: 'yes | head -c 1000000000; echo the-end' });
    const grown = process.memoryUsage().rss - before;
    expect(said.length).toBeLessThan(30_000);
    expect(said).toMatch(/the-end$/);
    expect(said).toContain('the middle of 1000000008 bytes');
    const file = /The full output \(first \d+ bytes\) is in (\S+):/.exec(said)?.[1] ?? '';
    expect(statSync(file).size).toBe(50 * 1024 * 1024);
    // Of 1 GB. What was freed may not be collected yet.
    expect(grown).toBeLessThan(400 * 1024 * 1024);
  });
});

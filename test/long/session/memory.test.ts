import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../support/bundle.js';
import { scratchFolder } from '../../support/scratch.js';

const run = promisify(execFile);
/** The whole size is 300; `COPPICE_TEST_TRANSCRIPT_MB` sets another. */
const MEGABYTES = Number(process.env.COPPICE_TEST_TRANSCRIPT_MB ?? 300);

describe('a long transcript', () => {
  it(`DU-10, failures 13: ${MEGABYTES} MB with a live view of at most 5 MB resume in less than 512 MB`, async () => {
    const folder = await scratchFolder();
    const program = await bundle(new URL('./memory-child.ts', import.meta.url), folder);
    const path = join(folder, 's.jsonl');
    await run(process.execPath, [program, 'make', path, String(MEGABYTES)]);
    expect((await stat(path)).size).toBeGreaterThanOrEqual(MEGABYTES * 1024 * 1024);
    const { stdout } = await run(process.execPath, ['--max-old-space-size=256', program, 'resume', path]);
    const report = JSON.parse(stdout);
    expect(report.damaged).toBe(0);
    expect(report.liveMegabytes).toBeGreaterThan(0.1);
    expect(report.liveMegabytes).toBeLessThanOrEqual(5);
    expect(report.peakMegabytes).toBeLessThan(512);
    console.info(`resume: ${JSON.stringify(report)}`);
  });
});

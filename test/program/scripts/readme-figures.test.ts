import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/program.js';

const { describeResults, isQuiet } = await import(join(ROOT, 'bench/readme.mjs'));

const row = (name: string, floor: number | undefined, ours: number, unit = 'ms') => ({ name, unit, floor, ours });
const machine = { node: 'v20.20.2', cpu: 'A Processor', cores: 2, load: 0.04 };

it("the README's figures are those of the results that are committed with it", async () => {
  const [readme, results] = await Promise.all(
    ['README.md', 'bench/results/readme.json'].map((file) => readFile(join(ROOT, file), 'utf8')),
  );
  expect(readme).toContain(describeResults(JSON.parse(results ?? '')));
});

it('figures stand with the day, the machine and its load, and name each row once', () => {
  const rows = [
    row('start → first request', 60, 84),
    row('start → first request, very first start', 60, 126),
    row('40 forks of 74012 tokens: input cost, of uncached', undefined, 10.61, '%'),
    row("forks: parent's bytes repeated by each first request, the least", undefined, 100, '%'),
    { name: '32 children: wall, TTFT 300 ms', notYet: 'no forks here' },
  ];
  expect(describeResults({ at: '2026-11-15T18:00:00.000Z', machine, rows })).toBe(
    `Measured on 2026-11-15 with Node 20.20.2 on 2 cores (A Processor), load 0.0 when the run began.

| | floor | Coppice | ratio |
|---|--:|--:|--:|
| start → first request, ms | 60.0 | 84.0 | 1.40 |
| … on the very first start | 60.0 | 126 | 2.10 |

| forks | |
|---|--:|
| bytes of the parent's request that a fork repeats | 100 % |
| input cost of 40 forks of 74,012 tokens, of the same uncached | 10.6 % |`,
  );
});

it('a busy machine does not write them', async () => {
  expect([isQuiet(0), isQuiet(1_000)]).toEqual([true, false]);
  const busy = join(ROOT, 'test', 'fixtures', 'busy-machine.cjs');
  const run = promisify(execFile)(process.execPath, ['--require', busy, 'bench/run.mjs', '--write'], { cwd: ROOT });
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('The load is 99.0') });
});

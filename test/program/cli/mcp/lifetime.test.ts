/** The real program with servers: what it says, and what it leaves behind. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { smallServer } from '../../../support/mcp/small-server.js';
import { groupRuns } from '../../../support/processes.js';
import { buildProgram, startProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';
import { until } from '../../../support/until.js';

beforeAll(buildProgram);

describe('the program with servers', () => {
  it('MC-15 kill -9 of the program: none is left behind, no matter what it ignores', async () => {
    const stage = await setStage([
      { when: { user: 'again' }, reply: 'ok' },
      { reply: 'ok', delay: { firstMs: 60_000 } },
    ]);
    const log = join(stage.folder, 'log');
    await stage.settings({ mcpServers: { a: smallServer({ log }), stays: smallServer({ log, ignoresEnd: true }) } });
    const program = startProgram(['-p', 'hi'], stage.at);
    await until(() => stage.sim.requests.length > 0);
    const pids = await pidsIn(log);
    expect(pids.filter(groupRuns)).toHaveLength(2);
    program.child.kill('SIGKILL');
    await program.ended;
    await stage.settings({});
    const next = await startProgram(['-p', 'again'], stage.at).ended;
    expect(next.stdout).toBe('ok\n');
    expect(pids.filter(groupRuns)).toEqual([]);
  });
});

async function pidsIn(log: string): Promise<number[]> {
  const text = await readFile(log, 'utf8').catch(() => '');
  return [...text.matchAll(/^started (\d+)$/gm)].map(([, pid]) => Number(pid));
}

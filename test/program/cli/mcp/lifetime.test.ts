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

async function pidsIn(log: string): Promise<number[]> {
  const text = await readFile(log, 'utf8').catch(() => '');
  return [...text.matchAll(/^started (\d+)$/gm)].map(([, pid]) => Number(pid));
}

describe('the program with servers', () => {
  it('MC-15 kill -9 of the program: none is left behind, whatever it ignores', async () => {
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

  it('MC-15 also one whose first act is to kill the program', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const file = join(stage.folder, 'pid');
    const script = `trap "" TERM; echo $$ > ${file}; kill -9 $PPID; while :; do sleep 1; done`;
    await stage.settings({ mcpServers: { bad: { command: '/bin/sh', args: ['-c', script] } } });
    await startProgram(['-p', 'hi'], stage.at).ended;
    const pid = Number(await readFile(file, 'utf8'));
    expect(groupRuns(pid)).toBe(true);
    await stage.settings({});
    await startProgram(['-p', 'again'], stage.at).ended;
    expect(groupRuns(pid)).toBe(false);
  });
});

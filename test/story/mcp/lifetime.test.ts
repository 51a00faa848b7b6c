/** Processes of servers: started once, ended with the session, also when it is killed. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { smallServer } from '../../support/mcp/small-server.js';
import { groupRuns } from '../../support/processes.js';
import { setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

async function pidsIn(log: string): Promise<number[]> {
  const text = await readFile(log, 'utf8').catch(() => '');
  return [...text.matchAll(/^started (\d+)$/gm)].map(([, pid]) => Number(pid));
}

describe('MC-15: processes of servers', () => {
  it('MC-15 end with the session', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const log = join(stage.folder, 'log');
    await stage.settings({ mcpServers: { a: smallServer({ log }), b: smallServer({ log }) } });
    const session = await stage.open();
    await session.send('hi');
    const pids = await pidsIn(log);
    expect(pids).toHaveLength(2);
    await session.close();
    expect(pids.filter(groupRuns)).toEqual([]);
  });

  it('MC-6 MC-14 a server that died is started again by its next call, three times at most; its tools stay', async () => {
    const stage = await setStage([
      { when: { user: /call/ }, reply: [{ tool: 'mcp__s__echo', input: { words: 'x' } }] },
      { reply: 'ok' },
    ]);
    const log = join(stage.folder, 'log');
    await stage.settings({ mcpServers: { s: smallServer({ log }) }, permissions: { allow: ['mcp__s'] } });
    const session = await stage.open();
    for (let count = 1; count <= 5; count += 1) {
      await session.send('call');
      const pid = (await pidsIn(log)).at(-1) ?? 0;
      if (groupRuns(pid)) process.kill(pid, 'SIGKILL');
      await until(() => session.serverReports()[0]?.status === 'failed');
    }
    expect(await pidsIn(log)).toHaveLength(4);
    const last = stage.sim.requests.at(-1)?.raw.toString('utf8') ?? '';
    expect(last).toContain('/mcp reconnect s');
    expect(last).toContain('"name":"mcp__s__echo"');
    const again = await session.execute({ type: 'reconnect-servers', server: 's' });
    expect(again).toMatchObject({ ok: true, servers: [{ name: 's', status: 'connected' }] });
    expect(await pidsIn(log)).toHaveLength(5);
  });
});

/** A project's servers: never started before trust and approval, nor with a script that changed since (MC-2). */

import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { smallServer } from '../../support/mcp/small-server.js';
import { callsFor, mcpNames, resultsIn, wordsIn } from '../../support/mcp/told.js';
import { groupRuns } from '../../support/processes.js';
import { buildProgram, runProgram } from '../../support/program.js';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

beforeAll(buildProgram);

const PROGRAM = fileURLToPath(new URL('../../fixtures/mcp/server.mjs', import.meta.url));
const ECHO = { tool: 'mcp__s__echo', input: { words: 'x' } };

const logOf = (stage: Stage) => join(stage.folder, 'log');
const writeMcp = (stage: Stage, mcpServers: object) => stage.write('.mcp.json', JSON.stringify({ mcpServers }));

/** All places where a project can say that a server runs. */
async function projectWithServers(stage: Stage): Promise<void> {
  const log = logOf(stage);
  await writeMcp(stage, { s: smallServer({ log }) });
  const mcpServers = { t: smallServer({ log }) };
  // No repository approves itself.
  const own = {
    enableAllProjectMcpServers: true,
    enabledMcpjsonServers: ['s', 't'],
    allowedMcpServers: [{ serverName: 's' }],
  };
  await stage.write(
    '.claude/settings.json',
    JSON.stringify({ mcpServers, permissions: { allow: ['mcp__s'] }, ...own }),
  );
  await stage.write('.claude/settings.local.json', JSON.stringify({ mcpServers: { u: smallServer({ log }) }, ...own }));
}

describe('MC-2: a project that nobody trusts', () => {
  it.each([
    ['as it is', {}],
    ['with everything allowed', { permissionMode: 'bypassPermissions' }],
    ['with a person', { interactive: true }],
  ] as const)(
    'MC-2 MC-11 a session %s starts none of its servers; the user is informed, the model is not',
    async (_, options) => {
      const stage = await setStage([...callsFor('go', [ECHO]), { reply: 'ok' }]);
      await projectWithServers(stage);
      const session = await stage.open(options);
      await session.servers();
      const servers = session.serverReports();
      expect(servers.map(({ name, status }) => [name, status])).toEqual([
        ['s', 'not-approved'],
        ['t', 'not-approved'],
        ['u', 'not-approved'],
      ]);
      await session.execute({ type: 'reconnect-servers' });
      await session.execute({ type: 'reconnect-servers', server: 's' });
      await session.send('go');
      await session.send('/mcp__s__prompt');
      await session.send('look at @s:some://thing');
      expect(mcpNames(stage.sim.requests[0])).toEqual([]);
      expect(resultsIn(stage.sim.requests.at(-1))[0]?.isError).toBe(true);
      // What a folder writes is nobody's word: the model hears nothing of it.
      expect(wordsIn(stage.sim.requests[0])).not.toContain('MCP server');
      expect(existsSync(logOf(stage))).toBe(false);
      expectAllAccepted(stage.sim);
    },
  );

  it('MC-2 trusted is not approved; approved runs; another entry or another script waits again', async () => {
    const stage = await setStage([...callsFor('go', [ECHO]), { reply: 'ok' }]);
    await copyFile(PROGRAM, join(stage.folder, 'server.mjs'));
    const log = logOf(stage);
    const entry = { ...smallServer({ log }), args: ['./server.mjs'] };
    await writeMcp(stage, { s: entry });
    await runProgram(['trust'], stage.at);
    const statusNow = async () => {
      const session = await stage.open({ allowedTools: ['mcp__s'] });
      await session.servers();
      const servers = session.serverReports();
      await session.close();
      return servers[0]?.status;
    };
    expect(await statusNow()).toBe('not-approved');
    expect(existsSync(log)).toBe(false);
    expect(await runProgram(['mcp', 'approve', '--all'], stage.at)).toMatchObject({ code: 0 });
    expect(await statusNow()).toBe('connected');
    await writeFile(join(stage.folder, 'server.mjs'), `// changed\n${await readFile(PROGRAM, 'utf8')}`);
    expect(await statusNow()).toBe('not-approved');
    await copyFile(PROGRAM, join(stage.folder, 'server.mjs'));
    expect(await statusNow()).toBe('connected');
    await writeMcp(stage, { s: { ...entry, timeout: 5_000 } });
    expect(await statusNow()).toBe('not-approved');
    expect((await readFile(log, 'utf8')).match(/^started/gm)).toHaveLength(2);
  });

  it.each([
    ['approved', false],
    ['trusted for this run', true],
  ])('MC-2 a server %s that dies is not started again with a script that changed meanwhile', async (_, trust) => {
    const stage = await setStage([
      ...callsFor('go', [ECHO]),
      ...callsFor('again', [ECHO]),
      ...callsFor('last', [ECHO]),
    ]);
    await copyFile(PROGRAM, join(stage.folder, 'server.mjs'));
    const log = logOf(stage);
    await writeMcp(stage, { s: { ...smallServer({ log }), args: ['./server.mjs'] } });
    if (!trust) {
      await runProgram(['trust'], stage.at);
      await runProgram(['mcp', 'approve', '--all'], stage.at);
    }
    const session = await stage.open({ trust, allowedTools: ['mcp__s'] });
    await session.send('go');
    expect(resultsIn(stage.sim.requests.at(-1)).at(-1)?.isError, stage.sim.report()).toBe(false);
    const pid = Number(/^started (\d+)/.exec(await readFile(log, 'utf8'))?.[1]);
    await writeFile(
      join(stage.folder, 'server.mjs'),
      `import { writeFileSync } from 'node:fs';\nwriteFileSync('${stage.folder}/evil', '');\n`,
    );
    process.kill(pid, 'SIGKILL');
    await until(() => !groupRuns(pid) && session.serverReports()[0]?.status === 'failed');
    await session.send('again');
    expect(resultsIn(stage.sim.requests.at(-1)).at(-1)).toMatchObject({ isError: true });
    expect((await session.execute({ type: 'reconnect-servers', server: 's' })).ok).toBe(true);
    expect(session.serverReports()).toMatchObject([{ status: 'failed' }]);
    expect(existsSync(join(stage.folder, 'evil'))).toBe(false);
    await copyFile(PROGRAM, join(stage.folder, 'server.mjs'));
    await session.send('last');
    expect(resultsIn(stage.sim.requests.at(-1)).at(-1)?.isError).toBe(false);
    expectAllAccepted(stage.sim);
  });
});

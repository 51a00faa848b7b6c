/** Tools of servers in forks and after a resume: the bytes stay, the server is found when it is called. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SimRequest } from '../../../src/sim/index.js';
import { smallServer } from '../../support/mcp/small-server.js';
import { eventsOf, expectAllAccepted, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { comparable } from '../../support/wire-body.js';

function toolsOf(request: SimRequest | undefined): string {
  const { tools } = JSON.parse(request?.raw.toString('utf8') ?? '{}') as { tools?: unknown };
  return JSON.stringify(tools);
}

describe('servers, forks and resumes', () => {
  it('FK-7 FK-25 a fork has its parent’s tools with those of a server that connected late, and calls them', async () => {
    const stage = await setStage([
      { when: { user: '<fork-boilerplate>' }, reply: [{ tool: 'mcp__late__echo', input: { words: 'fork' } }] },
      { when: { said: '<fork-boilerplate>' }, reply: 'Scope: x\nResult: fork done' },
      { when: { user: 'now fork' }, reply: [{ tool: 'Agent', input: { fork: true, prompt: 'use the server' } }] },
      { reply: 'ok' },
    ]);
    const opens = join(stage.folder, 'open');
    const log = join(stage.folder, 'log');
    await stage.settings({
      mcpServers: { late: smallServer({ waitFor: opens, log }) },
      mcp: { waitMs: 1 },
      permissions: { allow: ['mcp__late'] },
    });
    const session = await stage.open({ fork: 'on' });
    await session.send('first');
    await writeFile(opens, '');
    await until(() => session.serverReports()[0]?.status === 'connected');
    const end = await session.send('now fork');
    expect(end.reason, stage.sim.report()).toBe('completed');
    expectAllAccepted(stage.sim);
    const isFork = (request: SimRequest) => request.raw.includes('<fork-boilerplate>');
    const [fork] = stage.sim.requests.filter(isFork);
    const parents = stage.sim.requests.filter((request) => !isFork(request));
    const parent = parents[1];
    if (fork === undefined || parent === undefined) throw new Error(stage.sim.report());
    expect(toolsOf(fork)).toBe(toolsOf(parent));
    expect(toolsOf(fork)).toContain('mcp__late__echo');
    const shared = comparable(parent);
    expect(comparable(fork).startsWith(shared.slice(0, shared.lastIndexOf(']')))).toBe(true);
    expect(await readFile(log, 'utf8')).toContain('tools/call echo');
  });

  it('DU-18 a resumed session keeps its prefix, also while its server is still starting; a call waits for it', async () => {
    const stage = await setStage([
      { when: { user: 'again' }, reply: [{ tool: 'mcp__db__echo', input: { words: 'resumed' } }] },
      { reply: 'ok' },
    ]);
    const log = join(stage.folder, 'log');
    const entry = (more: object) => ({
      mcpServers: { db: smallServer({ log, ...more }) },
      permissions: { allow: ['mcp__db'] },
    });
    await stage.settings(entry({}));
    const first = await stage.open();
    await first.send('hello');
    await first.close();
    const opens = join(stage.folder, 'open');
    await stage.settings({ ...entry({ waitFor: opens }), mcp: { waitMs: 1 } });
    const second = await stage.open({ resume: first.id });
    const sent = second.send('again');
    await until(() => stage.sim.requests.length === 2);
    expect(toolsOf(stage.sim.requests[1])).toBe(toolsOf(stage.sim.requests[0]));
    await writeFile(opens, '');
    expect((await sent).reason, stage.sim.report()).toBe('completed');
    expectAllAccepted(stage.sim);
    expect(await readFile(log, 'utf8')).toContain('tools/call echo');
    await second.send('third');
    expect(eventsOf(stage, 'epoch-started').map(({ reason }) => reason)).toEqual(['session-start']);
  });

  it('DU-18 a server that was removed from the configuration: its tools go, with one new epoch', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.settings({ mcpServers: { db: smallServer() } });
    const first = await stage.open();
    await first.send('hello');
    await first.close();
    await stage.settings({});
    const second = await stage.open({ resume: first.id });
    await second.send('again');
    expect(toolsOf(stage.sim.requests[1])).not.toContain('mcp__');
    expectAllAccepted(stage.sim);
  });

  it('DU-18 a resumed session keeps its prefix also where the server describes its tools otherwise now', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const describes = (description: string) => ({
      mcpServers: { db: smallServer({ tools: [{ name: 'query', description }] }) },
    });
    await stage.settings(describes('as it was'));
    const first = await stage.open();
    await first.send('hello');
    await first.close();
    await stage.settings(describes('as it is'));
    const second = await stage.open({ resume: first.id });
    await second.send('again');
    expect(toolsOf(stage.sim.requests[1]) === toolsOf(stage.sim.requests[0])).toBe(true);
    expect(eventsOf(stage, 'epoch-started')).toHaveLength(1);
  });
});

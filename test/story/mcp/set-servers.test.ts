/** Servers that a client gives, takes away, switches off and inspects while a session runs. */

import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { smallServer } from '../../support/mcp/small-server.js';
import { callsFor, mcpNames, resultsIn } from '../../support/mcp/told.js';
import { eventsOf, expectAllAccepted, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

const PROGRAM = fileURLToPath(new URL('../../fixtures/mcp/server.mjs', import.meta.url));

function makeServer(name: string): McpServer {
  const server = new McpServer({ name, version: '7' });
  const description = 'Says hello';
  server.registerTool('hello', { description, inputSchema: z.object({}), annotations: { readOnlyHint: true } }, () => ({
    content: [{ type: 'text', text: `hello from ${name}` }],
  }));
  return server;
}

const HELLO = { tool: 'mcp__late__hello', input: {} };

describe('CL-3: servers given while a session runs', () => {
  it('CL-3: their tools come with the next prompt, in one epoch; those left out go; others stay', async () => {
    const stage = await setStage([...callsFor('greet', [HELLO]), { reply: 'ok' }]);
    await stage.settings({ mcpServers: { file: smallServer() } });
    const session = await stage.open({ mcpServers: { first: makeServer('first') }, allowedTools: ['mcp__late'] });
    await session.send('one');
    expect(mcpNames(stage.sim.requests.at(-1))).toEqual(['mcp__file__echo', 'mcp__first__hello']);
    const late = makeServer('late');
    const servers = { late, small: smallServer({ name: 'small' }), bad: { command: '/no/such' } };
    const set = await session.execute({ type: 'set-servers', servers });
    expect(set).toMatchObject({ ok: true, added: ['bad', 'late', 'small'], removed: ['first'] });
    expect(set.ok && Object.keys(set.errors)).toEqual(['bad']);
    expect(set.ok && set.errors.bad).toContain('/no/such');
    await session.send('greet');
    expect(mcpNames(stage.sim.requests.at(-1))).toEqual(['mcp__file__echo', 'mcp__late__hello', 'mcp__small__echo']);
    expect(resultsIn(stage.sim.requests.at(-1)).at(-1)?.text).toBe('hello from late');
    expect(eventsOf(stage, 'epoch-started')).toHaveLength(2);
    // The same again changes nothing, and the object stays connected.
    const again = await session.execute({ type: 'set-servers', servers: { late, small: servers.small } });
    expect(again).toEqual({ ok: true, added: [], removed: ['bad'], errors: {} });
    await session.send('more');
    expect(eventsOf(stage, 'epoch-started')).toHaveLength(2);
    expect(await session.execute({ type: 'set-servers', servers: {} })).toMatchObject({ removed: ['late', 'small'] });
    await session.send('last');
    expect(mcpNames(stage.sim.requests.at(-1))).toEqual(['mcp__file__echo']);
    expectAllAccepted(stage.sim);
  });

  it('CL-3: one of the same name takes the place of a file’s; a changed entry is started again', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.settings({ mcpServers: { same: smallServer({ tools: [{ name: 'old' }] }) } });
    const session = await stage.open();
    await session.send('one');
    await session.execute({ type: 'set-servers', servers: { same: smallServer({ tools: [{ name: 'new' }] }) } });
    await session.send('two');
    expect(mcpNames(stage.sim.requests.at(-1))).toEqual(['mcp__same__new']);
    const next = { same: smallServer({ tools: [{ name: 'newer' }] }) };
    expect(await session.execute({ type: 'set-servers', servers: next })).toMatchObject({
      added: ['same'],
      removed: [],
    });
    await session.send('three');
    expect(mcpNames(stage.sim.requests.at(-1))).toEqual(['mcp__same__newer']);
  });

  it('CL-3 MC-13: what an administrator denies is not started, and takes no other’s place', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const log = join(stage.folder, 'log');
    const managed = {
      deniedMcpServers: [{ serverName: 'evil' }, { serverCommand: [process.execPath, PROGRAM] }],
      mcpServers: { ours: { type: 'http', url: 'http://127.0.0.1:1/mcp' } },
    };
    await writeFile(join(stage.home, 'managed.json'), JSON.stringify(managed));
    const session = await stage.open();
    const servers = {
      evil: makeServer('evil'),
      run: smallServer({ log }),
      ours: makeServer('ours'),
      odd: { url: 'x' },
    };
    const set = await session.execute({ type: 'set-servers', servers });
    expect(set.ok && Object.entries(set.errors).map(([name, reason]) => [name, reason.slice(0, 16)])).toEqual([
      ['evil', 'deniedMcpServers'],
      ['odd', 'it has a url and'],
      ['run', 'deniedMcpServers'],
      ['ours', 'overridden by th'],
    ]);
    await session.send('go');
    expect(mcpNames(stage.sim.requests.at(-1))).toEqual([]);
    await expect(readFile(log)).rejects.toThrow();
    expect(session.serverReports().find(({ name }) => name === 'ours')?.transport).toBe('http');
  });
});

describe('CL-8: servers that never answer', () => {
  it('CL-8: neither an interruption nor the end of the session waits for one that is being connected', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const env = { ...stage.env, MCP_TIMEOUT: '600000' };
    const session = await stage.open({ env, mcpServers: { own: makeServer('own') } });
    await session.send('one');
    const silent = smallServer({ waitFor: join(stage.folder, 'never') });
    const isConnecting = () =>
      session.serverReports().some(({ name, status }) => name === 'silent' && status === 'connecting');
    const setting = session.execute({ type: 'set-servers', servers: { silent } });
    await until(isConnecting);
    session.interrupt();
    expect(await setting).toMatchObject({ ok: false, reason: expect.stringContaining('interrupted') });
    const again = session.execute({ type: 'reconnect-servers', server: 'silent' });
    await session.close();
    expect(await again).toMatchObject({ ok: false });
  });
});

describe('CL-3: a server switched off and on', () => {
  it('CL-3: off, its process ends and its tools are gone from the next prompt on; on, they are back', async () => {
    const stage = await setStage([
      ...callsFor('call', [{ tool: 'mcp__small__echo', input: { words: 'x' } }]),
      { reply: 'ok' },
    ]);
    const log = join(stage.folder, 'log');
    const session = await stage.open({ mcpServers: { small: smallServer({ log }), own: makeServer('own') } });
    await session.send('one');
    const off = await session.execute({ type: 'toggle-server', server: 'small', enabled: false });
    expect(off.ok && off.servers.map(({ name, status }) => [name, status])).toEqual([
      ['own', 'connected'],
      ['small', 'off'],
    ]);
    expect(await readFile(log, 'utf8')).toContain('input ended');
    expect(await session.execute({ type: 'reconnect-servers', server: 'small' })).toMatchObject({ ok: false });
    await session.send('two');
    expect(mcpNames(stage.sim.requests.at(-1))).toEqual(['mcp__own__hello']);
    expect(await session.execute({ type: 'toggle-server', server: 'small', enabled: true })).toMatchObject({
      ok: true,
    });
    await session.execute({ type: 'toggle-server', server: 'own', enabled: false });
    await session.execute({ type: 'toggle-server', server: 'own', enabled: true });
    await session.send('three');
    expect(mcpNames(stage.sim.requests.at(-1))).toEqual(['mcp__own__hello', 'mcp__small__echo']);
    const none = await session.execute({ type: 'toggle-server', server: 'none', enabled: true });
    expect(none).toMatchObject({ ok: false, reason: 'there is no MCP server none' });
  });

  it('CL-3 MC-2: a project’s server is not switched on with a script that has changed, nor one that was never approved', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const script = join(stage.folder, 'server.mjs');
    await copyFile(PROGRAM, script);
    const entry = { ...smallServer(), args: ['server.mjs'] };
    await stage.write('.mcp.json', JSON.stringify({ mcpServers: { s: entry } }));
    const session = await stage.open({ trust: true });
    await session.send('one');
    expect(mcpNames(stage.sim.requests.at(-1))).toEqual(['mcp__s__echo']);
    await session.execute({ type: 'toggle-server', server: 's', enabled: false });
    await writeFile(script, `${await readFile(script, 'utf8')}\n// changed`);
    const on = await session.execute({ type: 'toggle-server', server: 's', enabled: true });
    expect(on).toMatchObject({ ok: false, reason: expect.stringContaining('not approved') });
    await session.send('two');
    expect(mcpNames(stage.sim.requests.at(-1))).toEqual([]);
    const other = await stage.open();
    const never = await other.execute({ type: 'toggle-server', server: 's', enabled: true });
    expect(never).toMatchObject({ ok: false, reason: expect.stringContaining('trust') });
  });
});

describe('CL-3: what a client sees of servers', () => {
  it('CL-3: details name the server and its tools; of its entry no secret', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const small = {
      ...smallServer(),
      args: [...smallServer().args, '--token', 'abcdef'],
      headers: { Authorization: 'x' },
    };
    const session = await stage.open({ mcpServers: { own: makeServer('own'), small } });
    await session.servers();
    const found = await session.execute({ type: 'servers', details: true });
    const details = found.ok ? Object.fromEntries(found.servers.map((one) => [one.name, one.details])) : {};
    expect(details.own).toEqual({
      info: { name: 'own', version: '7' },
      tools: [{ name: 'hello', description: 'Says hello', readOnly: true, destructive: false, openWorld: false }],
    });
    expect(details.small?.entry).toEqual({ command: process.execPath, args: [PROGRAM, '--token', '••••'] });
    expect(session.serverReports()[0]).not.toHaveProperty('details');
  });

  it('CL-3: a resource of a connected server is read; of another one it is a reason', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const server = makeServer('own');
    server.registerResource('page', 'ui://page', {}, (uri) => ({ contents: [{ uri: uri.href, text: '<p>' }] }));
    const session = await stage.open({ mcpServers: { own: server } });
    await session.servers();
    const read = await session.execute({ type: 'read-resource', server: 'own', uri: 'ui://page' });
    expect(read).toEqual({ ok: true, contents: [{ uri: 'ui://page', text: '<p>' }] });
    expect(await session.execute({ type: 'read-resource', server: 'own', uri: 'ui://none' })).toMatchObject({
      ok: false,
    });
    expect(await session.execute({ type: 'read-resource', server: 'x', uri: 'ui://page' })).toMatchObject({
      ok: false,
    });
  });

  it('CL-2: an entry’s policy denies a tool, or wants a user’s word for each call whatever is allowed', async () => {
    const careful = { tool: 'mcp__own__careful', input: {} };
    const stage = await setStage([
      ...callsFor('go', [careful, { tool: 'mcp__own__hello', input: {} }]),
      { reply: 'ok' },
    ]);
    const server = makeServer('own');
    server.registerTool('careful', {}, () => ({ content: [{ type: 'text', text: 'did it' }] }));
    server.registerTool('never', {}, () => ({ content: [] }));
    const tools = [
      { name: 'careful', permission_policy: 'always_ask' },
      { name: 'never', permission_policy: 'always_deny' },
      { name: 'hello', permission_policy: 'always_allow' },
    ];
    const session = await stage.open({
      mcpServers: { own: { instance: server, tools } },
      permissionMode: 'bypassPermissions',
      allowedTools: ['mcp__own__careful'],
    });
    await session.send('go');
    await until(() => resultsIn(stage.sim.requests.at(-1)).length === 2);
    expect(mcpNames(stage.sim.requests.at(-1))).toEqual(['mcp__own__careful', 'mcp__own__hello']);
    const [first, second] = resultsIn(stage.sim.requests.at(-1));
    expect(first?.isError).toBe(true);
    expect(first?.text).not.toContain('did it');
    expect(second).toMatchObject({ isError: false, text: 'hello from own' });
    expect(session.warnings.join('\n')).toContain('always_allow');
  });
});

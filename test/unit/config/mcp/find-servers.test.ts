/** Where servers are found, and which of two entries with one name applies (MC-1, MC-8). */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findServers } from '../../../../src/config/mcp/find-servers.js';
import { mayHaveServers } from '../../../../src/config/mcp/has-servers.js';
import { mcp, runs, setServersStage } from './servers-stage.js';

describe('MC-1: precedence', () => {
  it('MC-1: library > command line > local > project > user; the whole entry of the strongest wins', async () => {
    const stage = setServersStage();
    const env = { X: '1' };
    stage.write('home/.claude/settings.json', mcp({ a: runs('user', { env }), b: runs('user') }));
    stage.write('project/.mcp.json', mcp({ a: runs('project'), b: runs('project'), c: runs('project') }));
    stage.write('project/.claude/settings.local.json', mcp({ a: runs('local'), c: runs('local') }));
    const flag = stage.write('flag.json', mcp({ a: runs('flag') }));
    await stage.approveAll();
    const commands = async (asked = {}) => {
      const { servers } = await stage.find(asked);
      return Object.fromEntries(servers.map((one) => [one.name, `${(one.config as { command: string }).command}`]));
    };
    expect(await commands()).toEqual({ a: 'local', b: 'project', c: 'local' });
    expect(await commands({ mcpConfig: [flag] })).toEqual({ a: 'flag', b: 'project', c: 'local' });
    expect(await commands({ mcpConfig: [flag], given: { a: runs('library') } })).toMatchObject({ a: 'library' });
    const { servers } = await stage.find();
    // Nothing of the weaker entry is left in it.
    expect(servers[0]).toMatchObject({ name: 'a', origin: { scope: 'local' }, config: { env: {} } });
  });

  it('MC-1: --settings is treated as the command line; --setting-sources leaves files out', async () => {
    const stage = setServersStage();
    stage.write('home/.claude/settings.json', mcp({ mine: runs('x') }));
    stage.write('home/.claude.json', mcp({ other: runs('x') }));
    stage.write('project/.mcp.json', mcp({ theirs: runs('x') }));
    await stage.approveAll();
    expect(await stage.running()).toEqual(['mine', 'other', 'theirs']);
    expect(await stage.running({ sources: ['user'] })).toEqual(['mine', 'other']);
    expect(await stage.running({ sources: [], flagSettings: mcp({ given: runs('x') }) })).toEqual(['given']);
  });

  it('MC-1: strict leaves only --mcp-config and the library, without a question about others', async () => {
    const stage = setServersStage();
    stage.write('home/.claude/settings.json', mcp({ mine: runs('x') }));
    stage.write('home/.claude.json', mcp({ other: runs('x') }));
    stage.write('project/.mcp.json', mcp({ theirs: runs('x') }));
    const asked = {
      strict: true,
      mcpConfig: ['{"mcpServers": {"given": {"command": "x"}}}'],
      given: { lib: runs('y') },
    };
    const found = await stage.find(asked);
    expect(found.servers.map(({ name }) => name)).toEqual(['given', 'lib']);
    expect(found).toMatchObject({ skipped: [], warnings: [], errors: [] });
  });

  it('MC-1: a flag that names what cannot be read is an error', async () => {
    const stage = setServersStage();
    const damaged = stage.write('damaged.json', '{"mcpServers": {');
    const { errors } = await stage.find({ mcpConfig: ['/no/such.json', damaged, '{"servers": {}}'] });
    expect(errors).toEqual([
      '--mcp-config: /no/such.json: there is no such file',
      expect.stringContaining('damaged.json: not valid JSON'),
      expect.stringContaining('it has no "mcpServers"'),
    ]);
  });

  it('MC-1: .mcp.json is read from the launch folder up to the root of the project, the nearest first, and no further', async () => {
    const stage = setServersStage();
    const folder = join(stage.project, 'packages/app');
    mkdirSync(folder, { recursive: true });
    stage.write('.mcp.json', mcp({ outside: runs('x') }));
    stage.write('project/.mcp.json', mcp({ both: runs('root'), root: runs('root') }));
    stage.write('project/packages/app/.mcp.json', mcp({ both: runs('app') }));
    const { servers } = await stage.find({ folder, trustThisRun: true });
    expect(servers.map(({ name, config }) => [name, 'command' in config && config.command])).toEqual([
      ['both', 'app'],
      ['root', 'root'],
    ]);
  });

  it('MC-1: a project that is not approved does not take away a server of the same name; an approved one wins', async () => {
    const stage = setServersStage();
    stage.write('home/.claude/settings.json', mcp({ db: runs('mine') }));
    stage.write('project/.mcp.json', mcp({ db: runs('theirs') }));
    const before = await stage.find();
    expect(before.servers).toMatchObject([{ name: 'db', config: { command: 'mine' }, isForeign: false }]);
    expect(before.warnings.join()).toContain('1 MCP server of this project is not approved');
    await stage.approveAll();
    const { servers } = await stage.find();
    expect(servers).toMatchObject([{ name: 'db', config: { command: 'theirs' }, isForeign: true }]);
  });

  it('MC-1: objects of the library are connected in this process; two names that differ in case are two servers', async () => {
    const stage = setServersStage();
    const server = { connect: async () => {} };
    const given = { own: server, wrapped: { type: 'sdk', name: 'w', instance: server }, A: runs('x'), a: runs('y') };
    const { servers } = await stage.find({ given });
    expect(servers.map(({ name, config }) => [name, config.kind])).toEqual([
      ['A', 'stdio'],
      ['a', 'stdio'],
      ['own', 'in-process'],
      ['wrapped', 'in-process'],
    ]);
    expect(servers[2]?.config).toEqual({ kind: 'in-process', server });
  });
});

describe('MC-8: ~/.claude.json', () => {
  it("MC-8: its servers are the user's own: user everywhere, local in their folder, without approval", async () => {
    const stage = setServersStage();
    const projects = {
      [stage.project]: { mcpServers: { here: runs('x') } },
      '/elsewhere': { mcpServers: { there: runs('x') } },
      __proto__: { mcpServers: { evil: runs('x') } },
    };
    stage.write('home/.claude.json', { ...mcp({ all: runs('x') }), projects });
    const { servers } = await stage.find({ trusted: false });
    expect(servers.map(({ name, origin, isForeign }) => [name, origin.scope, isForeign])).toEqual([
      ['all', 'user', false],
      ['here', 'local', false],
    ]);
    const app = join(stage.project, 'app');
    mkdirSync(app);
    expect(await stage.running({ folder: app })).toEqual(['all', 'here']);
    // A session in a worktree is the project it was asked for in.
    expect(await stage.running({ projectRoot: app, folder: app, approvalsRoot: stage.project })).toEqual([
      'all',
      'here',
    ]);
  });

  it('MC-11: disabledMcpServers and disabledMcpjsonServers of ~/.claude.json are respected; enabledMcpjsonServers approves nothing', async () => {
    const stage = setServersStage();
    stage.write('project/.mcp.json', mcp({ p: runs('x'), q: runs('x'), r: runs('x') }));
    await stage.approveAll();
    const project = { disabledMcpServers: ['mine'], disabledMcpjsonServers: ['p', 7], enabledMcpjsonServers: ['r'] };
    stage.write('home/.claude.json', { ...mcp({ mine: runs('x') }), projects: { [stage.project]: project } });
    stage.write('project/.mcp.json', mcp({ p: runs('x'), q: runs('x'), r: runs('changed') }));
    expect(await stage.running()).toEqual(['q']);
    expect(await stage.why('mine')).toMatch(/^off: .*disabledMcpServers in ~\/.claude.json/);
    expect(await stage.why('p')).toMatch(/^off: disabledMcpjsonServers \(~\/.claude.json\)/);
    expect(await stage.why('r')).toMatch(/^not-approved/);
    // Who names a file on the command line wants what is in it.
    expect(await stage.running({ mcpConfig: ['{"mcpServers": {"mine": {"command": "x"}}}'] })).toEqual(['mine', 'q']);
  });

  it('MC-8: damaged or huge, it costs a line and nothing else', async () => {
    const stage = setServersStage();
    stage.write('home/.claude/settings.json', mcp({ mine: runs('x') }));
    for (const content of ['{"mcpServers": {"secret', '[]', Buffer.alloc(65 * 1024 * 1024, 32)]) {
      stage.write('home/.claude.json', content);
      const found = await stage.find();
      expect(found.servers.map(({ name }) => name)).toEqual(['mine']);
      expect(found.warnings).toEqual([expect.stringMatching(/\.claude\.json: .*its MCP servers are ignored/)]);
      expect(found.warnings.join()).not.toContain('secret');
    }
  });
});

describe('MC-3: the check at every start', () => {
  it('MC-3: says no only if there are no servers for sure', async () => {
    const stage = setServersStage();
    const may = async (asked = {}) => mayHaveServers(await stage.question(asked));
    expect(await may()).toBe(false);
    stage.write('home/.claude.json', {
      mcpServers: {},
      projects: { '/a': { mcpServers: {} }, '/b': { mcpServers: {} } },
    });
    expect(await may()).toBe(false);
    stage.write('home/.claude.json', { projects: { '/a': { mcpServers: { x: {} } } } });
    expect(await may()).toBe(true);
    expect(await may({ strict: true })).toBe(false);
    stage.write('home/.claude.json', '{}');
    expect(await may({ mcpConfig: ['x.json'], strict: true })).toBe(true);
    expect(await may({ given: { x: {} } })).toBe(true);
    stage.write('project/.mcp.json', '{}');
    expect(await may()).toBe(true);
    const other = setServersStage();
    other.write('managed-mcp.json', '{}');
    expect(await mayHaveServers(await other.question({ strict: true }))).toBe(true);
    const third = setServersStage();
    third.write('project/.claude/settings.json', mcp({ x: {} }));
    expect(await mayHaveServers(await third.question())).toBe(true);
    expect(await findServers(await third.question())).toMatchObject({ servers: [], skipped: [{ name: 'x' }] });
  });
});

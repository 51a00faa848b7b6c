/** What an administrator decides about servers (MC-13). */

import { describe, expect, it } from 'vitest';
import { matchesUrl } from '../../../../src/config/mcp/server-policy.js';
import { mcp, runs, setServersStage } from './servers-stage.js';

const http = (url: string) => ({ type: 'http', url });

describe('MC-13: managed-mcp.json', () => {
  it('MC-13: if it is there, it is the whole set, whatever else asks', async () => {
    const stage = setServersStage();
    stage.write('managed-mcp.json', mcp({ corp: runs('corp') }));
    stage.write('home/.claude/settings.json', mcp({ mine: runs('x') }));
    stage.write('project/.mcp.json', mcp({ corp: runs('evil'), theirs: runs('x') }));
    const asked = {
      mcpConfig: ['{"mcpServers": {"corp": {"command": "evil"}, "flag": {"command": "x"}}}'],
      strict: true,
      given: { lib: { connect: async () => {} } },
    };
    for (const more of [{}, { trustThisRun: true }, asked]) {
      const { servers } = await stage.find(more);
      expect(servers).toMatchObject([{ name: 'corp', origin: { scope: 'managed' }, config: { command: 'corp' } }]);
      expect(servers).toHaveLength(1);
    }
    expect(await stage.why('flag', asked)).toMatch(/^blocked: only the servers of .*managed-mcp.json may run/);
    expect(await stage.why('lib', asked)).toMatch(/^blocked/);
    stage.write('managed-mcp.json', '{}');
    expect(await stage.running(asked)).toEqual([]);
  });

  it('MC-13: damaged, it lets nothing run', async () => {
    const stage = setServersStage();
    stage.write('managed-mcp.json', '{"mcpServers": {');
    stage.write('home/.claude/settings.json', mcp({ mine: runs('x') }));
    const { servers, warnings } = await stage.find();
    expect(servers).toEqual([]);
    expect(warnings.join('\n')).toMatch(/managed-mcp.json: not valid JSON/);
  });
});

describe('MC-13: deniedMcpServers', () => {
  it('MC-13: applies from every file, and is final', async () => {
    const files = [
      'managed.json',
      'home/.claude/settings.json',
      'project/.claude/settings.json',
      'project/.claude/settings.local.json',
    ];
    for (const file of files) {
      const stage = setServersStage();
      stage.write(
        'home/.claude.json',
        mcp({ a: runs('x'), b: runs('y', { args: ['z'] }), c: http('https://c.example/m') }),
      );
      const denied = [{ serverName: 'A' }, { serverCommand: ['y', 'z'] }, { serverUrl: 'https://C.example/*' }];
      stage.write(file, { deniedMcpServers: denied, allowedMcpServers: [{ serverName: 'a' }] });
      const asked = { trusted: false, mcpConfig: [JSON.stringify(mcp({ a: runs('x') }))] };
      expect(await stage.running(asked)).toEqual([]);
      expect(await stage.why('a', asked)).toMatch(
        /^blocked: deniedMcpServers \{"serverName":"A"\} \(.*json\) forbids it/,
      );
      expect(await stage.why('b', asked)).toContain('serverCommand');
      expect(await stage.why('c', asked)).toContain('serverUrl');
    }
  });

  it('MC-13: a rule that nobody can understand is an error, not a rule less', async () => {
    const stage = setServersStage();
    for (const rule of [{}, { serverName: 'a', serverUrl: 'b' }, { serverCommand: 'x' }, 'a', { name: 'a' }]) {
      stage.write('home/.claude/settings.json', { deniedMcpServers: [rule] });
      const { settings } = await stage.question();
      expect(settings.errors).toHaveLength(1);
      expect(settings.errors[0]?.message).toContain('deniedMcpServers[0]');
    }
  });
});

describe('MC-13: allowedMcpServers', () => {
  const SERVERS = { n: runs('x'), c: runs('y', { args: ['z'] }), u: http('https://u.example/mcp') };

  it.each([
    ['unset: all', undefined, ['c', 'n', 'u']],
    ['empty: none', [], []],
    ['names', [{ serverName: 'n' }, { serverName: 'u' }], ['n', 'u']],
    [
      'a command: local servers must match one',
      [{ serverCommand: ['y', 'z'] }, { serverName: 'n' }, { serverName: 'u' }],
      ['c', 'u'],
    ],
    ['a command is the whole list', [{ serverCommand: ['y'] }], []],
    [
      'a URL: remote servers must match one',
      [{ serverUrl: 'https://other/*' }, { serverName: 'n' }, { serverName: 'u' }],
      ['n'],
    ],
    ['a URL with a star', [{ serverUrl: 'https://*.example/*' }], ['u']],
    ['a name is written exactly', [{ serverName: 'N' }], []],
  ])('MC-13: %s', async (_, allowed, expected) => {
    const stage = setServersStage();
    stage.write('home/.claude.json', mcp(SERVERS));
    stage.write('managed.json', allowed === undefined ? {} : { allowedMcpServers: allowed });
    expect(await stage.running()).toEqual(expected);
    const { skipped } = await stage.find();
    for (const one of skipped)
      expect(one).toMatchObject({ status: 'blocked', reason: expect.stringContaining('managed.json') });
  });

  it('MC-13: lists of managed, --settings and user add up; a project cannot widen them; allowManagedMcpServersOnly', async () => {
    const stage = setServersStage();
    stage.write('home/.claude.json', mcp({ m: runs('x'), f: runs('x'), u: runs('x'), p: runs('x') }));
    const allow = (serverName: string) => ({ allowedMcpServers: [{ serverName }] });
    stage.write('managed.json', allow('m'));
    stage.write('home/.claude/settings.json', allow('u'));
    stage.write('project/.claude/settings.json', allow('p'));
    stage.write('project/.claude/settings.local.json', { ...allow('p'), allowManagedMcpServersOnly: false });
    expect(await stage.running({ flagSettings: allow('f') })).toEqual(['f', 'm', 'u']);
    stage.write('managed.json', { ...allow('m'), allowManagedMcpServersOnly: true });
    expect(await stage.running({ flagSettings: { ...allow('f'), allowManagedMcpServersOnly: false } })).toEqual(['m']);
  });
});

describe('MC-13: patterns of URLs', () => {
  it.each([
    ['https://mcp.corp.com/*', 'https://mcp.corp.com/a/b?c'],
    ['https://MCP.Corp.com/*', 'https://mcp.corp.COM/a'],
    ['https://*.corp.com/*', 'https://a.b.corp.com/x'],
    ['https://mcp.corp.com', 'https://mcp.corp.com/'],
    ['https://mcp.corp.com:443/x', 'https://mcp.corp.com/x'],
    ['http://localhost:*/*', 'http://localhost:8080/x'],
    ['*', 'https://anything.example:1/x'],
    ['*://corp.com/*', 'http://corp.com/x'],
    ['corp.com/*', 'https://corp.com/x'],
    ['https://evil.com/*', 'https://evil.com./x'],
    ['https://evil.com/api', 'https://evil.com/%61pi'],
    ['https://evil.com/b', 'https://evil.com/a/../b'],
  ])('MC-13: %s matches %s', (pattern, url) => {
    expect(matchesUrl(pattern, url)).toBe(true);
  });

  it.each([
    ['https://*.corp.com/*', 'https://evil.com/.corp.com/x'],
    ['https://*.corp.com/*', 'https://evil.com?x=.corp.com/'],
    ['https://mcp.corp.com/*', 'https://mcp.corp.com@evil.com/x'],
    ['https://mcp.corp.com/*', 'https://mcp.corp.com.evil.com/x'],
    ['https://mcp.corp.com/*', 'http://mcp.corp.com/x'],
    ['https://mcp.corp.com/*', 'https://mcp.corp.com:8443/x'],
    ['https://mcp.corp.com/api', 'https://mcp.corp.com/API'],
    ['https://mcp.corp.com', 'https://mcp.corp.com/x'],
    ['https://mcp.corp.com/*', 'not a url'],
  ])('MC-13: %s does not match %s', (pattern, url) => {
    expect(matchesUrl(pattern, url)).toBe(false);
  });

  it.each([
    ['https://evil.com/admin', 'https://evil.com/%61dmin?%'],
    ['https://evil.com/admin', 'https://evil.com/admin?x=1'],
    ['https://evil.com/admin*', 'https://evil.com/%ff/../%61dmin%ff'],
    ['https://evil.com/admin', 'https://evil.com//admin'],
    ['https://evil.com/admin/*', 'https://evil.com/%2Fadmin//x'],
    ['https://evil.com/admin', 'https://evil.com/admin/'],
    ['https://evil.com', 'https://evil.com/mcp?x'],
    ['evil.com', 'http://evil.com/mcp'],
    ['https://b\u00fccher.example/*', 'https://xn--bcher-kva.example/x'],
    ['https://*.b\u00fccher.example/*', 'https://a.b\u00fccher.example/x'],
    ['http://[0:0:0:0:0:0:0:1]:8080/*', 'http://[::1]:8080/x'],
    ['http://[0:0:0:0:0:0:0:1]:*/*', 'http://[::1]:8080/x'],
    ['http://0x7f.1/*', 'http://127.0.0.1/x'],
    ['http://127.0.0.1/*', 'http://0x7f.1/x'],
    ['evil.com:443/*', 'https://evil.com/x'],
    ['evil.com:80', 'http://evil.com/x'],
    ['*://evil.com:443/*', 'https://evil.com/x'],
    ['EVIL.com.:443/*', 'https://evil.com./x'],
  ])('MC-13: %s denies %s', (pattern, url) => {
    expect(matchesUrl(pattern, url, 'denied')).toBe(true);
  });

  it.each([
    ['https://evil.com', 'https://evil.com.example/x'],
    ['https://evil.com/admin', 'https://evil.com/administration'],
    ['evil.com:443', 'http://evil.com/x'],
    ['https://evil.com/a?b', 'https://evil.com/a?c'],
    ['https://0x7f.1.example/*', 'https://127.0.0.1/x'],
  ])('MC-13: %s does not deny %s', (pattern, url) => {
    expect(matchesUrl(pattern, url, 'denied')).toBe(false);
  });

  it('MC-13: what is denied widely is not allowed so', async () => {
    for (const [pattern, url] of [
      ['https://corp.com', 'https://corp.com/x'],
      ['https://corp.com/api', 'https://corp.com//api'],
      ['https://corp.com/api', 'https://corp.com/api/'],
      ['https://corp.com/api', 'https://corp.com/api?x'],
      ['https://corp.com/a/b', 'https://corp.com/a%2Fb'],
    ] as const) {
      expect(matchesUrl(pattern, url, 'denied')).toBe(true);
      expect(matchesUrl(pattern, url, 'allowed')).toBe(false);
    }
    const stage = setServersStage();
    stage.write('home/.claude.json', mcp({ u: http('https://u.example/mcp') }));
    stage.write('managed.json', { allowedMcpServers: [{ serverUrl: 'https://u.example' }] });
    expect(await stage.running()).toEqual([]);
    stage.write('managed.json', { deniedMcpServers: [{ serverUrl: 'https://u.example' }] });
    expect(await stage.why('u')).toMatch(/^blocked: deniedMcpServers/);
  });

  it('MC-13: a pattern of many stars ends', () => {
    expect(matchesUrl(`https://x/${'*a'.repeat(2_000)}b`, `https://x/${'a'.repeat(20_000)}`)).toBe(false);
  });
});

/** Servers in sessions of the real program: what is loaded, what a client and a user see, what is never started. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { setPlainStage } from '../../../program/cli/plain/plain-stage.js';
import { smallServer } from '../../../support/mcp/small-server.js';
import { mcpNames } from '../../../support/mcp/told.js';
import { buildProgram, runProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';

beforeAll(buildProgram);

describe('MC-10: what a client sees', () => {
  it('MC-1 --mcp-config adds servers by file and by JSON; --strict-mcp-config leaves all others out', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.settings({ mcpServers: { mine: smallServer() } });
    const file = await stage.write('more.json', JSON.stringify({ mcpServers: { more: smallServer() } }));
    const json = JSON.stringify({ mcpServers: { text: smallServer() } });
    expect((await runProgram(['-p', 'hi', '--mcp-config', file, json], stage.at)).code).toBe(0);
    expect(mcpNames(stage.sim.requests[0])).toEqual(['mcp__mine__echo', 'mcp__more__echo', 'mcp__text__echo']);
    expect((await runProgram(['-p', 'hi', '--strict-mcp-config', '--mcp-config', file], stage.at)).code).toBe(0);
    expect(mcpNames(stage.sim.requests[1])).toEqual(['mcp__more__echo']);
  });
});

describe('MC-2: a project that nobody trusts', () => {
  it('MC-2 none of its servers is started or contacted: -p, plain, list, get, test, login, serve', async () => {
    const stage = await setPlainStage([{ reply: 'Hello.' }]);
    const log = join(stage.folder, 'log');
    const helper = `touch '${stage.folder}/helped'`;
    const web = { type: 'http', url: `${stage.sim.url}/mcp`, headersHelper: helper, oauth: { clientId: 'x' } };
    const mcpServers = { s: smallServer({ log }), web };
    await stage.write('.mcp.json', JSON.stringify({ mcpServers }));
    await stage.write(
      '.claude/settings.json',
      JSON.stringify({ mcpServers: { t: smallServer({ log }) }, enableAllProjectMcpServers: true }),
    );
    const run = (...args: string[]) => runProgram(args, { ...stage.at, input: 'n\n' });
    const plain = stage.pipe(['--plain', 'hi']);
    plain.say('n');
    const [print, list, get, test, login] = await Promise.all([
      run('-p', 'hi', '--permission-mode', 'bypassPermissions'),
      run('mcp', 'list'),
      run('mcp', 'get', 'web'),
      run('mcp', 'test'),
      run('mcp', 'login', 'web', '--no-browser'),
      run('mcp', 'serve'),
      plain.end(),
    ]);
    expect(print).toMatchObject({ code: 0, stdout: 'Hello.\n', stderr: expect.stringContaining('not trusted') });
    for (const { stdout } of [list, get, test]) expect(stdout).toContain('not trusted');
    expect(login).toMatchObject({ code: expect.any(Number), stderr: expect.stringContaining('not trusted') });
    expect(login.code).not.toBe(0);
    expect(existsSync(log)).toBe(false);
    expect(existsSync(join(stage.folder, 'helped'))).toBe(false);
    expect(stage.sim.requests.filter(({ status }) => status !== 200)).toEqual([]);
    expect(stage.sim.requests.every((request) => mcpNames(request).length === 0)).toBe(true);
  });
});

/** `coppice mcp list`, `get`, `add`, `remove` and `approve` as a user runs them (MC-8, MC-11). None starts a server. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of entries are written so.

import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import type { Stage } from '../../../support/story.js';
import { mcp, setUp } from './mcp-list-stage.js';

const marker = (stage: Stage, name: string) => ({ command: 'touch', args: [join(stage.home, name)] });

beforeAll(buildProgram);

describe('MC-8: listing', () => {
  it('MC-8, MC-2: list and get show the status of each, and neither starts nor contacts one', async () => {
    const stage = await setUp();
    await stage.settings({ mcpServers: { mine: marker(stage, 'mine') } });
    await stage.write(
      '.mcp.json',
      mcp({ theirs: marker(stage, 'theirs'), web: { type: 'http', url: `${stage.sim.url}/mcp` } }),
    );
    const listed = await stage.run('list');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^mine {2}stdio {2}may run\n {2}touch .*mine {2}\(user: .*settings.json\)\n/);
    expect(listed.stdout).toMatch(/theirs {2}stdio {2}not approved: the folder is not trusted: run coppice trust/);
    expect((await stage.run('get', 'theirs')).code).toBe(0);
    expect(await stage.json('list')).toMatchObject({
      servers: [
        { name: 'mine', scope: 'user', transport: 'stdio', status: 'ready' },
        { name: 'theirs', scope: 'project', status: 'not-approved' },
        { name: 'web', scope: 'project', transport: 'http', status: 'not-approved' },
      ],
    });
    for (const name of ['mine', 'theirs']) expect(existsSync(join(stage.home, name))).toBe(false);
    expect(stage.sim.requests).toEqual([]);
    expect(await stage.run('get', 'nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no MCP server nobody'),
    });
    expect((await stage.run('list', '--bad')).code).toBe(2);
  });

  it('MC-8: what looks secret is not printed; a reference to a variable is', async () => {
    const stage = await setUp();
    await stage.settings({
      mcpServers: {
        a: {
          command: 'x',
          args: ['--api-key', 'SECRET1', '--token=SECRET2', '-v', 'sk-SECRET3'],
          env: { DB_PASSWORD: 'SECRET4', T: 'ghp_SECRET5', PLAIN: 'shown', K_KEY: '${K}' },
        },
        b: {
          type: 'http',
          url: 'https://u:SECRET6@x.example/?token=SECRET7&page=shown',
          headers: { Authorization: 'Bearer SECRET8', 'X-Api-Key': 'SECRET9', Accept: 'shown' },
        },
      },
    });
    for (const args of [
      ['list'],
      ['list', '--json'],
      ['get', 'a'],
      ['get', 'a', '--json'],
      ['get', 'b'],
      ['get', 'b', '--json'],
    ]) {
      const { stdout, stderr } = await stage.run(...args);
      expect(stdout + stderr).not.toContain('SECRET');
    }
    expect((await stage.json('get', 'a')).entry.env).toEqual({
      DB_PASSWORD: '••••',
      T: '••••',
      PLAIN: 'shown',
      K_KEY: '${K}',
    });
    const config = await runProgram(['config'], stage.at);
    expect(config.stdout).toContain('mcpServers.a');
    expect(config.stdout).not.toContain('SECRET');
  });

  it('MC-10: a file that can not be read is reported, and exit is 0: the others are listed', async () => {
    const stage = await setUp();
    await stage.write('.mcp.json', '{');
    await stage.settings({ mcpServers: { 'a\u001b[2Jb': { command: 'x' }, fine: { command: 'y' } } });
    const listed = await stage.run('list');
    expect(listed).toMatchObject({ code: 0, stderr: expect.stringContaining('.mcp.json: not valid JSON') });
    expect(listed.stdout).not.toContain('\u001b');
    expect(listed.stdout).toContain('fine  stdio  may run');
  });
});

describe('MC-8: adding and removing', () => {
  it.each([
    ['user', (stage: Stage) => join(stage.home, '.claude/settings.json')],
    ['project', (stage: Stage) => join(stage.folder, '.mcp.json')],
    ['local', (stage: Stage) => join(stage.folder, '.claude/settings.local.json')],
  ])(
    'MC-8: -s %s writes its file, keeps the rest of it, and who adds a server has approved it',
    async (scope, fileOf) => {
      const stage = await setUp();
      await runProgram(['trust'], stage.at);
      const file = fileOf(stage);
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, '{"mcpServers": {"old": {"command": "o"}}, "other": {"kept": true}}');
      const added = await stage.run('add', 'files', '-s', scope, '-e', 'A=b=c', '--', 'npx', '-y', 'server', '--flag');
      expect(added).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(`Added files to ${file}`) });
      expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
        mcpServers: {
          old: { command: 'o' },
          files: { type: 'stdio', command: 'npx', args: ['-y', 'server', '--flag'], env: { A: 'b=c' } },
        },
        other: { kept: true },
      });
      expect(await stage.json('get', 'files')).toMatchObject({ scope, status: 'ready' });
      // Only that one.
      if (scope !== 'user') expect(await stage.json('get', 'old')).toMatchObject({ status: 'not-approved' });
      expect(await stage.run('add', 'files', '-s', scope, '--', 'y')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('already'),
      });
      expect(await stage.run('remove', 'files')).toMatchObject({ code: 0, stdout: `Removed files from ${file}.\n` });
      expect(Object.keys(JSON.parse(await readFile(file, 'utf8')).mcpServers)).toEqual(['old']);
      expect((await stage.run('remove', 'files')).code).toBe(2);
    },
  );
});

describe('MC-11: approve', () => {
  it('MC-11: shows what is approved, in full; only that runs; a change waits again', async () => {
    const stage = await setUp();
    await stage.write(
      '.mcp.json',
      mcp({ a: marker(stage, 'a'), b: { type: 'http', url: 'https://b.example/${USER:-x}' } }),
    );
    await stage.write(
      '.claude/agents/helper.md',
      `---\nname: helper\ndescription: d\nmcpServers:\n  - own: {command: own-server}\n---\nHelp.\n`,
    );
    const waiting = await stage.run('approve');
    expect(waiting).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing is approved yet') });
    expect(waiting.stdout).toContain(
      `  .mcp.json\n    | a\n    |   runs touch ${join(stage.home, 'a')}\n    | b\n    |   connects to https://b.example/`,
    );
    expect(waiting.stdout).toContain('.claude/agents/helper.md (agent helper)\n    | own\n    |   runs own-server\n');
    const approved = await stage.run('approve', 'a');
    expect(approved).toMatchObject({ code: 0, stderr: expect.stringContaining('coppice trust') });
    expect(approved.stdout).toMatch(/\| {3}runs touch .*\nApproved as shown: a\.\n$/);
    await runProgram(['trust'], stage.at);
    const states = async () =>
      Object.fromEntries(
        (await stage.json('list')).servers.map((one: { name: string; status: string }) => [one.name, one.status]),
      );
    expect(await states()).toEqual({ a: 'ready', b: 'not-approved' });
    expect(await stage.run('approve', 'a')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a may already run'),
    });
    expect(await stage.json('approve', '--all')).toMatchObject({
      ok: true,
      approved: [{ name: 'b' }, { name: 'own', agent: 'helper' }],
    });
    expect(await states()).toEqual({ a: 'ready', b: 'ready' });
    expect((await stage.run('approve')).stdout).toBe('No server of this project is waiting for approval.\n');
    await stage.write('.mcp.json', mcp({ a: { command: 'touch', args: ['other'] } }));
    expect((await stage.run('approve')).stdout).toContain('! approved before: runs touch');
    await runProgram(['trust', '--remove'], stage.at);
    expect(await states()).toEqual({ a: 'not-approved' });
    expect(existsSync(join(stage.home, 'a'))).toBe(false);
  });

  it('SF-2: every command has an example in its help', async () => {
    const stage = await setUp();
    for (const args of [[], ['list'], ['get'], ['add'], ['add-json'], ['remove'], ['approve']]) {
      const end = await stage.run(...args, '--help');
      expect(end).toMatchObject({ code: 0, stdout: expect.stringMatching(/Example:\n {2}coppice mcp/) });
    }
  });
});

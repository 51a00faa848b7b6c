/** `coppice mcp list`, `get`, `add`, `remove` and `approve` as a person runs them (MC-8, MC-11). None starts a server. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of entries are written so.

import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import { type Stage, setStage } from '../../../support/story.js';

beforeAll(buildProgram, 120_000);

const setUp = async () => {
  const stage = await setStage();
  await mkdir(join(stage.folder, '.git'));
  const run = async (...args: string[]) => runProgram(['mcp', ...args], stage.at);
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);
  return { ...stage, run, json };
};

const marker = (stage: Stage, name: string) => ({ command: 'touch', args: [join(stage.home, name)] });
const mcp = (mcpServers: object) => JSON.stringify({ mcpServers });

describe('MC-8: listing', () => {
  it('MC-8, MC-2: list and get say how each stands, and neither starts nor contacts one', async () => {
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
      stderr: expect.stringContaining('there is no MCP server nobody'),
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

  it('MC-10: a file that can not be read is told, and exit is 0: the others are listed', async () => {
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

  it('MC-8: remote servers, headers and whole entries', async () => {
    const stage = await setUp();
    await runProgram(['trust'], stage.at);
    const url = 'https://mcp.example.com/mcp';
    expect((await stage.run('add', '-t', 'http', 'docs', url, '-H', 'Authorization: Bearer ${DOCS_TOKEN}')).code).toBe(
      0,
    );
    expect((await stage.run('add-json', 'more', JSON.stringify({ type: 'sse', url, timeout: 5000 }))).code).toBe(0);
    const { mcpServers } = JSON.parse(await stage.read('.claude/settings.local.json'));
    expect(mcpServers).toEqual({
      docs: { type: 'http', url, headers: { Authorization: 'Bearer ${DOCS_TOKEN}' } },
      more: { type: 'sse', url, timeout: 5000 },
    });
  });

  it.each([
    [['add', 'x', 'https://x'], /say with -t http or -t sse/],
    [['add', 'x', '-t', 'http', 'nothing'], /not a valid URL/],
    [['add', 'x', '-t', 'http', 'https://x', 'more'], /no arguments/],
    [['add', 'x', '-e', 'novalue', '--', 'y'], /-e KEY=value/],
    [['add', 'x', '-t', 'http', '-H', 'novalue', 'https://x'], /"Name: value"/],
    [['add', 'x', '-H', 'A: b', '--', 'y'], /headers are for/],
    [['add', 'a b', '--', 'y'], /the name may have/],
    [['add', '__proto__\n', '--', 'y'], /the name may have/],
    [['add', 'x', '-s', 'mars', '--', 'y'], /Allowed choices/],
    [['add-json', 'x', '{'], /not valid JSON/],
    [['add-json', 'x', '{"url": "https://x"}'], /add "type"/],
    [['add-json', 'x', '7'], /must be an object/],
    [['add', 'x', '-s', 'project', '--', 'y', '${ANTHROPIC_API_KEY}'], /our own keys/],
    [['approve', 'nobody'], /there is no MCP server nobody/],
    [['remove', 'nobody'], /there is no server nobody/],
  ])('MC-8: %j is wrong usage: exit 2, with what was wrong, and nothing is written', async (args, words) => {
    const stage = await setUp();
    const end = await stage.run(...args);
    expect(end).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(words) });
    expect(existsSync(join(stage.folder, '.mcp.json'))).toBe(false);
    expect(existsSync(join(stage.folder, '.claude'))).toBe(false);
  });

  it('MC-8: a link in the repository does not redirect what is written, and a damaged file is left alone', async () => {
    const stage = await setUp();
    const target = join(stage.home, 'target.json');
    await writeFile(target, '{}');
    await symlink(target, join(stage.folder, '.mcp.json'));
    const linked = await stage.run('add', 'x', '-s', 'project', '--', 'y');
    expect(linked).toMatchObject({ code: 1, stderr: expect.stringContaining('is a link') });
    expect(await readFile(target, 'utf8')).toBe('{}');
    await stage.write('.claude/settings.local.json', '{oops');
    expect((await stage.run('add', 'x', '--', 'y')).code).toBe(1);
    expect(await stage.read('.claude/settings.local.json')).toBe('{oops');
    // Neither of the two is said to have it.
    expect((await stage.run('remove', 'x')).code).not.toBe(0);
  });

  it('MC-8: in several files at once, remove wants to know which; ~/.claude.json is never written', async () => {
    const stage = await setUp();
    const state = JSON.stringify({ mcpServers: { x: { command: 'y' } } });
    await writeFile(join(stage.home, '.claude.json'), state);
    expect(await stage.run('remove', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('~/.claude.json'),
    });
    for (const scope of ['user', 'project']) await stage.run('add', 'x', '-s', scope, '--', 'y');
    expect(await stage.run('remove', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('(user, project)'),
    });
    expect((await stage.run('remove', 'x', '-s', 'project')).code).toBe(0);
    expect(await readFile(join(stage.home, '.claude.json'), 'utf8')).toBe(state);
  });
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
      stderr: expect.stringContaining('a may run already'),
    });
    expect(await stage.json('approve', '--all')).toMatchObject({
      ok: true,
      approved: [{ name: 'b' }, { name: 'own', agent: 'helper' }],
    });
    expect(await states()).toEqual({ a: 'ready', b: 'ready' });
    expect((await stage.run('approve')).stdout).toBe('No server of this project waits for approval.\n');
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

/** `coppice mcp test`: connects to what may run, and to nothing else (MC-2, MC-8). */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of entries are written so.

import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { SERVER, setUp, small } from '../../../program/cli/mcp/mcp-test-stage.js';
import { buildProgram, ROOT, runProgram } from '../../../support/program.js';

beforeAll(buildProgram);

it('MC-8: prints status, tools and their cost; one that fails is exit 1, with the end of its stderr', async () => {
  const stage = await setUp();
  const dead = { command: 'sh', args: ['-c', 'echo "no luck\u001b[2J" >&2; exit 3'] };
  await stage.settings({ mcpServers: { good: small({}), dead } });
  const good = await stage.run('good');
  expect(good).toMatchObject({ code: 0, stderr: '' });
  expect(good.stdout).toMatch(/^good: connected · 1 tool, about \d+ tokens \(stdio, user\)\n {2}mcp__good__echo\n$/);
  const all = await stage.run();
  expect(all).toMatchObject({ code: 1, stderr: '' });
  expect(all.stdout).toMatch(/dead: failed[\s\S]*\| no luck/);
  expect(all.stdout).not.toContain('\u001b');
  const json = JSON.parse((await stage.run('--json')).stdout);
  expect(json.servers).toMatchObject([
    { name: 'dead', status: 'failed' },
    { name: 'good', status: 'connected', tools: ['mcp__good__echo'] },
  ]);
  expect(await stage.run('nobody')).toMatchObject({ code: 2, stderr: expect.stringContaining('no MCP server nobody') });
});

it('MC-8: the reference servers connect, configured as documented', async () => {
  const stage = await setUp();
  const bin = (name: string) => join(ROOT, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');
  const everything = { command: process.execPath, args: [bin('server-everything')] };
  const files = { command: process.execPath, args: [bin('server-filesystem'), '${CLAUDE_PROJECT_DIR}'] };
  await stage.settings({ mcpServers: { everything, files } });
  const { servers } = JSON.parse((await stage.run('--json')).stdout);
  expect(servers).toMatchObject([
    { name: 'everything', status: 'connected', tools: expect.arrayContaining(['mcp__everything__echo']) },
    { name: 'files', status: 'connected', tools: expect.arrayContaining(['mcp__files__read_text_file']) },
  ]);
});

it('GT-3 MC-11: a project’s settings decide neither where a user’s server connects nor what it gets', async () => {
  const stage = await setUp();
  const print = (name: string, more: object = {}) => ({
    command: 'sh',
    args: [
      '-c',
      `env > '${join(stage.folder, name)}'; echo "$1" >> '${join(stage.folder, name)}'; exec '${process.execPath}' '${SERVER}'`,
      'sh',
      '${WHERE:-mine}',
    ],
    ...more,
  });
  await stage.settings({ mcpServers: { mine: print('mine') } });
  await stage.write('.mcp.json', JSON.stringify({ mcpServers: { theirs: print('theirs') } }));
  await stage.write('.claude/settings.json', JSON.stringify({ env: { WHERE: 'evil', MORE: 'theirs' } }));
  await runProgram(['trust'], stage.at);
  await runProgram(['mcp', 'approve', 'theirs'], stage.at);
  expect(await stage.run()).toMatchObject({ code: 0 });
  const [mine, theirs] = [await stage.read('mine'), await stage.read('theirs')];
  expect(mine).toMatch(/\nmine\n$/);
  expect(mine).not.toContain('MORE=');
  expect(theirs).toMatch(/\nevil\n$/);
  expect(theirs).toContain('MORE=theirs\n');
  // What the project adds, named or not, is a part of what was approved.
  await stage.write('.claude/settings.json', JSON.stringify({ env: { WHERE: 'evil', MORE: 'other' } }));
  expect(await stage.run('theirs')).toMatchObject({ code: 1, stdout: expect.stringContaining('not approved') });
});

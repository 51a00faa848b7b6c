/** `coppice mcp list`, `get`, `add`, `remove` and `approve` as a user runs them (MC-8, MC-11). None starts a server. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of entries are written so.

import { existsSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { setUp } from '../../../program/cli/mcp/mcp-list-stage.js';
import { buildProgram, runProgram } from '../../../support/program.js';

beforeAll(buildProgram);

describe('MC-8: adding and removing', () => {
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
    [['add', 'x', 'https://x'], /give its transport with -t http or -t sse/],
    [['add', 'x', '-t', 'http', 'nothing'], /not a valid URL/],
    [['add', 'x', '-t', 'http', 'https://x', 'more'], /no arguments/],
    [['add', 'x', '-e', 'novalue', '--', 'y'], /-e KEY=value/],
    [['add', 'x', '-t', 'http', '-H', 'novalue', 'https://x'], /"Name: value"/],
    [['add', 'x', '-H', 'A: b', '--', 'y'], /headers are for/],
    [['add', 'a b', '--', 'y'], /a name has up to/],
    [['add', '__proto__\n', '--', 'y'], /a name has up to/],
    [['add', 'x', '-s', 'mars', '--', 'y'], /Allowed choices/],
    [['add-json', 'x', '{'], /not valid JSON/],
    [['add-json', 'x', '{"url": "https://x"}'], /add "type"/],
    [['add-json', 'x', '7'], /must be an object/],
    [['add', 'x', '-s', 'project', '--', 'y', '${ANTHROPIC_API_KEY}'], /own keys/],
    [['approve', 'nobody'], /no MCP server nobody/],
    [['remove', 'nobody'], /no server nobody/],
  ])('MC-8: %j is a usage error: exit 2, with what was wrong, and nothing is written', async (args, words) => {
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
    // Neither of the two is reported to have it.
    expect((await stage.run('remove', 'x')).code).not.toBe(0);
  });

  it('MC-8: in several files at once, remove asks which; ~/.claude.json is never written', async () => {
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

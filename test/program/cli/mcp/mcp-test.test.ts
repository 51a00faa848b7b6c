/** `coppice mcp test`: connects to what may run, and to nothing else (MC-2, MC-8). */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of entries are written so.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildProgram, runProgram } from '../../../support/program.js';
import { SERVER, setUp, small } from './mcp-test-stage.js';

beforeAll(buildProgram);

it('MC-2: a server that is not trusted, not approved, off or blocked is neither started nor contacted', async () => {
  const stage = await setUp();
  const log = join(stage.home, 'log');
  const web = { type: 'http', url: `${stage.sim.url}/mcp` };
  await stage.write('.mcp.json', JSON.stringify({ mcpServers: { theirs: small({ log }), web } }));
  const untrusted = await stage.run();
  expect(untrusted).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('theirs: not approved (stdio, project)\n  the folder is not trusted'),
  });
  await runProgram(['trust'], stage.at);
  expect(await stage.run('theirs')).toMatchObject({ code: 1, stdout: expect.stringContaining('theirs: not approved') });
  await stage.settings({ disabledMcpjsonServers: ['theirs'], deniedMcpServers: [{ serverName: 'web' }] });
  expect((await stage.run()).stdout).toMatch(/theirs: disabled [\s\S]*web: blocked /);
  expect(existsSync(log)).toBe(false);
  expect(stage.sim.requests).toEqual([]);
  await stage.settings({});
  await runProgram(['mcp', 'approve', 'theirs'], stage.at);
  expect(await stage.run('theirs')).toMatchObject({ code: 0, stdout: expect.stringContaining('theirs: connected') });
  expect(existsSync(log)).toBe(true);
});

it("MC-12: a project's server gets neither our keys nor what looks secret; the user's own gets the latter", async () => {
  const stage = await setUp();
  const print = (name: string) => ({
    command: 'sh',
    args: ['-c', `env > '${join(stage.folder, name)}'; exec '${process.execPath}' '${SERVER}'`],
  });
  await stage.settings({ mcpServers: { mine: print('mine') }, enableAllProjectMcpServers: true });
  await stage.write('.mcp.json', JSON.stringify({ mcpServers: { theirs: print('theirs') } }));
  await runProgram(['trust'], stage.at);
  const env = { ...stage.env, GITHUB_TOKEN: 'gh', ANTHROPIC_AUTH_TOKEN: 'at' };
  expect(await runProgram(['mcp', 'test'], { cwd: stage.folder, env })).toMatchObject({ code: 0 });
  const [mine, theirs] = [await stage.read('mine'), await stage.read('theirs')];
  for (const text of [mine, theirs]) {
    expect(text).not.toMatch(/ANTHROPIC_(API_KEY|AUTH_TOKEN)/);
    expect(text).toContain(`CLAUDE_PROJECT_DIR=${stage.folder}\n`);
  }
  expect(mine).toContain('GITHUB_TOKEN=gh');
  expect(theirs).not.toContain('GITHUB_TOKEN');
});

/** Servers in sessions of the real program: what is loaded, what a client and a user see, what is never started. */

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { referenceServer } from '../../../support/mcp/reference-servers.js';
import { smallServer } from '../../../support/mcp/small-server.js';
import { callsFor, mcpNames } from '../../../support/mcp/told.js';
import { buildProgram, runProgram } from '../../../support/program.js';
import { expectAllAccepted, setStage } from '../../../support/story.js';
import { setPlainStage } from '../plain/plain-stage.js';

beforeAll(buildProgram);

describe('MC-3: loading', () => {
  it('MC-3 nothing of MCP is loaded without servers, also not by calls, children and text that looks like theirs', async () => {
    const stage = await setStage([
      ...callsFor('CHILD', [{ tool: 'Glob', input: { pattern: '*' } }]),
      ...callsFor('go', [{ tool: 'Agent', input: { subagent_type: 'general-purpose', prompt: 'CHILD' } }]),
    ]);
    const at = (name: string) => ({
      cwd: stage.folder,
      env: { ...stage.env, NODE_V8_COVERAGE: join(stage.home, name) },
    });
    const prompt = 'go and look at @server:some://thing and /mcp__server__prompt';
    expect(await runProgram(['-p', prompt], at('without'))).toMatchObject({ code: 0, stderr: '' });
    expect(await loadedOfMcp(join(stage.home, 'without'))).toEqual([]);
    await stage.settings({ mcpServers: { s: smallServer() } });
    expect((await runProgram(['-p', prompt], at('with'))).code).toBe(0);
    expect(await loadedOfMcp(join(stage.home, 'with'))).not.toEqual([]);
    expectAllAccepted(stage.sim);
  });
});

describe('MC-10: what a client sees', () => {
  it('MC-10 MC-3 the init line lists servers with their state, their tools, and what was skipped', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.settings({
      mcpServers: {
        good: smallServer({ delayMs: 100 }),
        dead: { command: '/no/such/program' },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of entries are written so.
        unset: { command: 'x', args: ['${NOT_SET_ANYWHERE}'] },
        odd: { url: 'https://127.0.0.1:9' },
      },
    });
    await stage.write(
      '.mcp.json',
      JSON.stringify({ mcpServers: { theirs: smallServer({ log: join(stage.folder, 'log') }) } }),
    );
    const args = ['-p', 'hi', '--output-format', 'stream-json', '--verbose'];
    const { code, stdout } = await runProgram(args, stage.at);
    expect(code).toBe(0);
    const init = JSON.parse(stdout.split('\n')[0] ?? '') as Record<string, unknown>;
    expect(init).toMatchObject({
      type: 'system',
      subtype: 'init',
      tools: expect.arrayContaining(['Read', 'mcp__good__echo']),
      mcp_servers: [
        { name: 'dead', status: 'failed' },
        { name: 'good', status: 'connected' },
        { name: 'odd', status: 'failed' },
        { name: 'theirs', status: 'disabled' },
        { name: 'unset', status: 'failed' },
      ],
      mcp_server_errors: [
        { name: 'odd', scope: 'user', error: expect.stringContaining('type') },
        { name: 'theirs', scope: 'project', error: expect.stringContaining('not trusted') },
        { name: 'unset', scope: 'user', error: expect.stringContaining('NOT_SET_ANYWHERE') },
      ],
    });
    expect(existsSync(join(stage.folder, 'log'))).toBe(false);
    // The first request has what the line says.
    expect(mcpNames(stage.sim.requests[0])).toEqual(['mcp__good__echo']);
  });
});

describe('MC-14: what a user sees', () => {
  it('MC-14 MC-22 /mcp shows the status of servers, /mcp reconnect tries again, /mcp disable and enable switch, /mcp prompts lists, and a prompt is sent by its name', async () => {
    const stage = await setPlainStage([{ reply: 'Hello.' }]);
    const start = join(stage.folder, 'start');
    const late = {
      command: 'sh',
      args: ['-c', `test -e '${start}' || { echo 'not yet' >&2; exit 3; }; exec "$0" "$@"`, process.execPath],
    };
    const { args, env } = smallServer({ name: 'late' });
    await stage.settings({
      mcpServers: { everything: referenceServer('everything'), late: { ...late, args: [...late.args, ...args], env } },
    });
    const plain = stage.pipe(['--plain', 'hi']);
    await plain.until('Hello.');
    plain.say('/mcp');
    await plain.until(/everything: connected · \d+ tools, about [\d,]+ tokens \(stdio, user\)/);
    await plain.until(/late: failed \(stdio, user\)\n[\s\S]*\| not yet/);
    await stage.write('start', '');
    plain.say('/mcp reconnect late');
    await plain.until('late: connected · 1 tool');
    plain.say('/mcp reconnect nobody');
    await plain.until(/no MCP server.*nobody/i);
    plain.say('/mcp disable late');
    await plain.until('late: disabled');
    plain.say('/mcp disable');
    await plain.until('Use /mcp, /mcp reconnect [NAME], /mcp disable NAME');
    plain.say('/mcp enable late');
    await plain.until(/late: disabled[\s\S]*late: connected/);
    plain.say('/mcp prompts');
    await plain.until('/mcp__everything__args-prompt city [state]');
    plain.say('/mcp__everything__args-prompt');
    await plain.until('/mcp__everything__args-prompt needs "city"');
    plain.say('/mcp__everything__args-prompt Ghent');
    expect(await plain.end()).toBe(0);
    const last = stage.sim.requests.at(-1);
    expect(last?.raw.toString('utf8')).toContain("What's weather in Ghent?");
    // What came back is there from the next prompt on.
    expect(mcpNames(stage.sim.requests[0])).not.toContain('mcp__late__echo');
    expect(mcpNames(last)).toContain('mcp__late__echo');
    expectAllAccepted(stage.sim);
  });
});

/** Files of the program that were loaded and have words in them that only an MCP client says. */
async function loadedOfMcp(coverage: string): Promise<string[]> {
  const reports = await Promise.all((await readdir(coverage)).map((name) => readFile(join(coverage, name), 'utf8')));
  const urls = reports.flatMap((report) => (JSON.parse(report) as { result: { url: string }[] }).result);
  const paths = new Set(urls.flatMap(({ url }) => pathOf(url)));
  const found: string[] = [];
  for (const path of paths) {
    const content = await readFile(path, 'utf8');
    if (/notifications\/tools\/list_changed|Finds tools of MCP servers/.test(content)) found.push(path);
  }
  return found;
}

function pathOf(url: string): string[] {
  if (url.startsWith('file:')) return [fileURLToPath(url)];
  return url.startsWith('/') ? [url] : [];
}

/** `http` hooks against a real server of this machine. */

import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { matchesUrl } from '../../../../../src/gate/hooks/handlers/run-http-hook.js';
import type { HooksOptions } from '../../../../../src/gate/hooks/hooks.js';
import { withEnvironment } from '../../../../../src/host/host.js';
import { nodeHost } from '../../../../../src/host/node-host.js';
import { serve } from '../../../../support/plain-server.js';
import { bashCall, newFolder, openHooks } from '../open-hooks.js';

type Heard = { method: string | undefined; headers: Record<string, unknown>; body: string };

/** A server that answers all alike, and what it heard. */
async function answering(status: number, body: string | Buffer, more: Record<string, string> = {}) {
  const heard: Heard[] = [];
  const listener: RequestListener = (request, response) => {
    let said = '';
    request.on('data', (piece: Buffer) => {
      said += piece.toString('utf8');
    });
    request.on('end', () => {
      heard.push({ method: request.method, headers: request.headers, body: said });
      response.writeHead(status, more).end(body);
    });
  };
  return { ...(await serve(listener)), heard };
}

const guardAt = (url: string, more: object = {}) => ({ PreToolUse: [{ hooks: [{ type: 'http', url, ...more }] }] });
const call = bashCall('ls');

function withEnv(env: Record<string, string>): Partial<HooksOptions> {
  const host = nodeHost(newFolder());
  return { host: withEnvironment(host, { ...host.env, ...env }) };
}

describe('EX-23: http hooks', () => {
  it('EX-23: the input is posted as JSON, and the answer is read like what a command prints', async () => {
    const answer = { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'not today' } };
    const { url, heard } = await answering(200, JSON.stringify(answer));
    const { hooks, folder } = openHooks(guardAt(`${url}/in`));
    expect(await hooks.run('PreToolUse', call)).toMatchObject({ decision: 'deny', reason: 'not today', messages: [] });
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(heard[0]?.body ?? '')).toMatchObject({
      cwd: folder,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
    });
  });

  it('EX-23: an empty answer is no opinion; a text is read like one that a command prints', async () => {
    const { url } = await answering(204, '');
    expect(await openHooks(guardAt(url)).hooks.run('PreToolUse', call)).toEqual({ ran: 1, context: [], messages: [] });
    const plain = await answering(200, 'Branch: main');
    const { hooks } = openHooks({ SessionStart: [{ hooks: [{ type: 'http', url: plain.url }] }] });
    expect((await hooks.run('SessionStart', { source: 'startup' })).context).toEqual(['Branch: main']);
  });

  it.each([
    ['an error of the server', 500, 'broken', /HTTP 500: broken/],
    ['a page that is not there', 404, '{"decision":"allow"}', /HTTP 404/],
    ['half an answer', 200, '{"decision":', /not complete/],
    ['an answer without an end', 200, `{"reason":"${'x'.repeat(1024 * 1024)}`, /more than 1 MB/],
  ])('GT-17: %s blocks a call, visibly', async (_, status, body, expected) => {
    const { url } = await answering(status, body);
    const verdict = await openHooks(guardAt(url)).hooks.run('PreToolUse', call);
    expect(verdict).toMatchObject({ decision: 'deny', messages: [{ level: 'error' }] });
    expect(verdict.reason).toMatch(expected);
  });

  it('GT-17: a redirect is not followed, and blocks', async () => {
    const target = await answering(200, '{"decision":"allow"}');
    const { url } = await answering(307, '', { location: target.url });
    const verdict = await openHooks(guardAt(url)).hooks.run('PreToolUse', call);
    expect(verdict.decision).toBe('deny');
    expect(verdict.reason).toContain('redirects are not followed');
    expect(target.heard).toEqual([]);
  });

  it('GT-17: one that refuses the connection, or does not answer in time, blocks a call and nothing else', async () => {
    const gone = 'http://127.0.0.1:1/';
    expect((await openHooks(guardAt(gone)).hooks.run('PreToolUse', call)).decision).toBe('deny');
    const silent = await serve(() => {});
    const { hooks } = openHooks({
      ...guardAt(silent.url, { timeout: 0.2 }),
      PostToolUse: [{ hooks: [{ type: 'http', url: gone }] }],
    });
    const late = await hooks.run('PreToolUse', call);
    expect(late.reason).toContain('did not finish within 0.2 s');
    const after = await hooks.run('PostToolUse', { ...call, tool_response: undefined as never });
    expect(after).not.toHaveProperty('decision');
    expect(after.messages).toMatchObject([{ level: 'error' }]);
  });

  it('EX-23: headers have the variables that are listed, and no other', async () => {
    const { url, heard } = await answering(200, '');
    const headers = {
      'X-A': 'Bearer $TOKEN',
      'X-B': `\${OTHER}-\${SECRET}`,
      'X-C': '$TOKENS $1',
      'Content-Type': 'a/b',
    };
    const config = guardAt(url, { headers, allowedEnvVars: ['TOKEN', 'OTHER', 'NOT_SET'] });
    const env = withEnv({ TOKEN: 't0k', OTHER: 'o', SECRET: 's', TOKENS: 'many' });
    await openHooks(config, env).hooks.run('PreToolUse', call);
    const limits = { http: { httpHookAllowedEnvVars: ['OTHER', 'SECRET'] } };
    await openHooks(config, { ...env, ...limits }).hooks.run('PreToolUse', call);
    const sent = heard.map(({ headers: got }) => [got['x-a'], got['x-b'], got['x-c'], got['content-type']]);
    expect(sent).toEqual([
      ['Bearer t0k', 'o-', '$1', 'a/b'],
      ['Bearer', 'o-', '$1', 'a/b'],
    ]);
  });

  it('EX-23: a hook of the user’s own has their variables, not those a project’s settings set', async () => {
    const { url, heard } = await answering(200, '');
    const config = guardAt(url, { headers: { 'x-a': '$TOKEN' }, allowedEnvVars: ['TOKEN'] });
    const more = { ...withEnv({ TOKEN: 'of the project' }), ownEnv: { TOKEN: 'own' } };
    const source = (isOwn: boolean) => ({ sources: [{ origin: 'x', hooks: config, isOwn }] });
    await openHooks(config, { ...more, ...source(true) }).hooks.run('PreToolUse', call);
    await openHooks(config, { ...more, ...source(false) }).hooks.run('PreToolUse', call);
    expect(heard.map(({ headers }) => headers['x-a'])).toEqual(['own', 'of the project']);
  });

  it('EX-23: where the user’s settings list addresses, no other is posted to, and a call is blocked', async () => {
    const { url, heard } = await answering(200, '');
    const elsewhere = { http: { allowedHttpHookUrls: ['https://hooks.example.com/*'] } };
    const verdict = await openHooks(guardAt(url), elsewhere).hooks.run('PreToolUse', call);
    expect(verdict.decision).toBe('deny');
    expect(verdict.reason).toContain('allowedHttpHookUrls');
    expect(heard).toEqual([]);
    const there = { http: { allowedHttpHookUrls: ['http://localhost:*'] } };
    expect(await openHooks(guardAt(url), there).hooks.run('PreToolUse', call)).not.toHaveProperty('decision');
    expect(heard).toHaveLength(1);
  });

  it.each([
    ['https://a.example.com/in', 'https://a.example.com/*', true],
    ['https://a.example.com/in?x=1', 'https://*.example.com', true],
    ['https://A.example.com:8443/in', 'https://a.example.com:*/in', true],
    ['http://a.example.com/in', 'https://a.example.com/*', false],
    ['https://evil.example/.example.com/in', 'https://*.example.com/*', false],
    ['https://a.example.com@evil.example/in', 'https://a.example.com*', false],
    ['https://evil.example/?https://a.example.com/', 'https://a.example.com/*', false],
    ['https://axexample.com/', 'https://a.example.com/*', false],
    ['https://a.example.com/other', 'https://a.example.com/in', false],
    ['https://a.example.com/', 'a.example.com/*', false],
    ['https://a.example.com/', '*', true],
  ])('EX-23: %s against the pattern %s: %s', (url, pattern, expected) => {
    expect(matchesUrl(pattern, new URL(url))).toBe(expected);
  });

  it('EX-23: its name in messages holds no password and no query', async () => {
    const { port } = await answering(500, '');
    const { hooks } = openHooks(guardAt(`http://me:secret@localhost:${port}/in?token=secret`));
    const { reason } = await hooks.run('PreToolUse', call);
    expect(reason).toContain(`PreToolUse hook \`http http://localhost:${port}/in\` (.claude/settings.json)`);
    expect(reason).not.toContain('secret');
  });
});

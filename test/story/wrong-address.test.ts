/** LC-23: an address where the API is not: said soon, with the address, and without giving the key to anybody else. */

import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { fastHost } from '../support/hosts/fast-host.js';
import { plainServer, serve, tunnelProxy } from '../support/plain-server.js';
import { faultLines, type Stage, setStage } from '../support/story.js';

/** A session that looks for the API at this address. */
async function openAt(url: string, more: Record<string, string> = {}) {
  const stage = await setStage();
  const env = { ...stage.env, ANTHROPIC_BASE_URL: url, ...more };
  const session = await stage.open({ env, host: fastHost(stage.folder, env, 200) });
  return { stage, session };
}

/** Of a server that is gone: nobody listens there. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

describe('nobody is there', () => {
  it('LC-23: a port where nobody listens: tried once more, then given up; every line names the address', async () => {
    const url = `http://localhost:${await freePort()}`;
    const { stage, session } = await openAt(`${url}/`);
    const end = await session.send('hello');
    expect(end).toMatchObject({ reason: 'api_error', line: expect.stringContaining('Check ANTHROPIC_BASE_URL') });
    expect(faultLines(stage)).toHaveLength(2);
    for (const line of faultLines(stage)) expect(line).toContain(`no connection to ${url}: `);
  });

  it('LC-23: a host that does not exist; a name and password in the address are not shown', async () => {
    const { stage, session } = await openAt('http://me:secret@nowhere.invalid:8123/gateway');
    expect((await session.send('hello')).reason).toBe('api_error');
    expect(faultLines(stage)).toHaveLength(2);
    expect(faultLines(stage)[0]).toContain('no connection to http://nowhere.invalid:8123/gateway: ');
    expect(faultLines(stage).join()).not.toContain('secret');
  });

  it('LC-23: a server that has answered before is waited for: it may come back', async () => {
    const stage = await setStage([{ reply: 'hello' }]);
    const session = await stage.open({ host: fastHost(stage.folder, stage.env, 200) });
    await session.send('hello');
    await stage.sim.close();
    expect((await session.send('hello')).reason).toBe('api_error');
    expect(faultLines(stage)).toHaveLength(9);
    expect(faultLines(stage).at(-1)).toMatch(/gave up after 9 tries/);
  });
});

describe('somebody else is there', () => {
  it('LC-23: TLS to a port that does not speak it: given up at once', async () => {
    const server = await plainServer(() => ({ text: 'never' }));
    const url = `https://localhost:${server.port}`;
    const { stage, session } = await openAt(url);
    expect((await session.send('hello')).reason).toBe('api_error');
    expect(faultLines(stage)).toEqual([
      `no connection to ${url}: the server there does not speak TLS (https). Check ANTHROPIC_BASE_URL`,
    ]);
  });

  it('LC-23: a web page instead of a stream: given up at once', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>Welcome!</html>');
    });
    const { stage, session } = await openAt(url);
    expect((await session.send('hello')).reason).toBe('api_error');
    expect(faultLines(stage)).toEqual([expect.stringMatching(`^${url} answers with a web page`)]);
  });

  it.each([404, 405, 501])(
    'LC-23: a web server that knows nothing of the API (%i): given up at once',
    async (status) => {
      const { url } = await serve((_request, response) => {
        response.writeHead(status, { 'content-type': 'text/html' }).end('<html>no</html>');
      });
      const { stage, session } = await openAt(url);
      expect((await session.send('hello')).reason).toBe('api_error');
      expect(faultLines(stage)).toEqual([
        `${url} answers with HTTP ${status}, so it is not the API. Check ANTHROPIC_BASE_URL`,
      ]);
    },
  );

  const told = (url: string, to: string, status: number) =>
    `${url} redirects to ${to} (HTTP ${status}); redirects are not followed, because they would receive the key. Check ANTHROPIC_BASE_URL`;

  it.each([301, 302, 307, 308])(
    'LC-23: a redirect (%i) is reported as what it is, and no key follows it',
    async (status) => {
      const thief = await plainServer(() => ({ text: 'stolen' }));
      const { url } = await serve((_request, response) => {
        response.writeHead(status, { location: `${thief.url}/v1/messages?secret=1` }).end();
      });
      const { stage, session } = await openAt(url);
      expect((await session.send('hello')).reason).toBe('api_error');
      expect(faultLines(stage)).toEqual([told(url, `${thief.url}/v1/messages`, status)]);
      expect(thief.heard).toEqual([]);
    },
  );

  it('LC-23: a redirect through a proxy is not followed either', async () => {
    const thief = await plainServer(() => ({ text: 'stolen' }));
    const first = await serve((_request, response) => {
      response.writeHead(307, { location: `${thief.url}/v1/messages` }).end();
    });
    const proxy = await tunnelProxy(first.port);
    const { stage, session } = await openAt('http://model.invalid:8123', { HTTP_PROXY: proxy.url });
    expect((await session.send('hello')).reason).toBe('api_error');
    expect(faultLines(stage)).toEqual([told('http://model.invalid:8123', `${thief.url}/v1/messages`, 307)]);
    expect(thief.heard).toEqual([]);
  });
});

describe('a stream that says little', () => {
  const start = (usage?: object) => {
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'plain', content: [], stop_reason: null };
    return { type: 'message_start', message: { ...message, stop_sequence: null, ...(usage ? { usage } : {}) } };
  };
  const sse = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

  async function openSlow(
    url: string,
    stallMs: number,
  ): Promise<{ stage: Stage; send: () => Promise<{ reason: string }> }> {
    const stage = await setStage();
    await stage.settings({ stallMs });
    const session = await stage.open({ env: { ...stage.env, ANTHROPIC_BASE_URL: url } });
    return { stage, send: () => session.send('hello') };
  }

  it.each([
    ['before the reply begins', []],
    ['after it began', [start({ input_tokens: 3, output_tokens: 1 })]],
  ])('LC-23: pings alone, %s, are given up, and not tried for ever', async (_name, events) => {
    let asked = 0;
    const { url } = await serve((_request, response) => {
      asked += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of events) response.write(sse(event));
      const timer = setInterval(() => response.write(sse({ type: 'ping' })), 20);
      response.on('close', () => clearInterval(timer));
    });
    const { stage, send } = await openSlow(url, 300);
    expect((await send()).reason).toBe('api_error');
    expect(asked).toBe(2);
    for (const line of faultLines(stage)) expect(line).toContain('the model sent nothing but pings for too long');
  });

  it('LC-23, LC-17: a reply without usage is taken; what it used is estimated, reported once, and paid', async () => {
    const events = [
      start(),
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello there '.repeat(100) } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null } },
      { type: 'message_stop' },
    ];
    let asked = 0;
    const { url } = await serve((request, response) => {
      asked += 1;
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.map(sse).join(''));
    });
    const stage = await setStage();
    const session = await stage.open({ env: { ...stage.env, ANTHROPIC_BASE_URL: url }, maxTokens: 60_000 });
    const first = await session.send('hello');
    expect(first).toMatchObject({ reason: 'completed', text: 'hello there '.repeat(100) });
    expect(first.usage.input).toBeGreaterThan(1_000);
    expect(first.usage.output).toBeGreaterThan(300);
    expect((await session.send('hello')).reason).toBe('completed');
    expect(asked).toBe(2);
    expect(faultLines(stage)).toEqual([expect.stringMatching(/does not report token usage/)]);
    let reason = '';
    while (reason !== 'max_tokens' && asked < 50) ({ reason } = await session.send('hello'));
    expect(reason).toBe('max_tokens');
  });
});

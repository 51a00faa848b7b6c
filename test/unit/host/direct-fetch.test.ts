import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDirectFetch } from '../../../src/host/direct-fetch.js';
import { gate } from '../../support/gate.js';

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  let connections = 0;
  const server = createServer(answer).listen(0, '127.0.0.1');
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, connections: () => connections };
}

function post(signal = new AbortController().signal) {
  return { method: 'POST', headers: { 'x-name': 'value' }, body: Buffer.from('{"a":"ä"}'), signal };
}

describe('a direct fetch', () => {
  it('sends exactly the bytes and headers given, and returns status, headers and text', async () => {
    const { url } = await serve((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        response.writeHead(429, { 'Retry-After': '2', 'set-cookie': ['a=1', 'b=2'] });
        response.end(`${request.headers['x-name']} ${request.headers['content-length']} ${Buffer.concat(pieces)}`);
      });
    });
    const fetch = await openDirectFetch(false);
    const response = await fetch(url, post());
    expect([response.ok, response.status]).toEqual([false, 429]);
    expect([response.headers.get('Retry-After'), response.headers.get('no-such')]).toEqual(['2', null]);
    expect([...response.headers.entries()]).toContainEqual(['set-cookie', 'a=1, b=2']);
    expect(await response.text()).toBe('value 10 {"a":"ä"}');
  });

  it('does not follow a redirect', async () => {
    let requests = 0;
    const { url } = await serve((_, response) => {
      requests += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    const fetch = await openDirectFetch(false);
    const response = await fetch(url, post());
    expect([response.ok, response.status, requests]).toEqual([false, 307, 1]);
  });

  it('uses a connection again, also when the reader left before the end', async () => {
    const server = await serve((request, response) => {
      request.resume();
      response.write('first\n');
      request.on('end', () => setImmediate(() => response.end('last\n')));
    });
    const fetch = await openDirectFetch(false);
    for (let time = 0; time < 4; time += 1) {
      const { body } = await fetch(server.url, post());
      for await (const piece of body ?? []) {
        expect(String(piece)).toMatch(/^first/);
        break;
      }
    }
    expect(server.connections()).toBe(1);
  });

  it('gives a connection up when a response that was left does not end', async () => {
    const server = await serve((_, response) => void response.write('first\n'));
    const fetch = await openDirectFetch(false);
    for (let time = 0; time < 2; time += 1) {
      const { body } = await fetch(server.url, post());
      for await (const _ of body ?? []) break;
    }
    expect(server.connections()).toBe(2);
  });

  it('sends a request again when the server had closed the idle connection', async () => {
    let requests = 0;
    const server = await serve((request, response) => {
      requests += 1;
      // The second request meets a connection that the server closes without having read it.
      if (requests === 2) return void request.socket.destroy();
      request.resume().on('end', () => response.end('done'));
    });
    const fetch = await openDirectFetch(false);
    const texts = [await (await fetch(server.url, post())).text(), await (await fetch(server.url, post())).text()];
    expect([texts, requests, server.connections()]).toEqual([['done', 'done'], 3, 2]);
  });

  it('does not repeat a request whose new connection breaks off', async () => {
    let requests = 0;
    const server = await serve((request) => {
      requests += 1;
      request.socket.destroy();
    });
    const fetch = await openDirectFetch(false);
    await expect(fetch(server.url, post())).rejects.toThrow('socket hang up');
    expect(requests).toBe(1);
  });

  it('rejects when the signal aborts before the response, and before the request', async () => {
    const arrived = gate();
    const { url } = await serve(() => arrived.open());
    const fetch = await openDirectFetch(false);
    const abort = new AbortController();
    const waiting = fetch(url, post(abort.signal));
    await arrived.opened;
    abort.abort();
    await expect(waiting).rejects.toThrow('aborted');
    await expect(fetch(url, post(abort.signal))).rejects.toThrow('aborted');
  });

  it('ends the body with an error when the signal aborts, or the server breaks off, in the middle', async () => {
    const { url } = await serve((request, response) => {
      response.write('first\n');
      if (request.headers['x-name'] === 'cut') setImmediate(() => response.destroy());
    });
    const fetch = await openDirectFetch(false);
    const abort = new AbortController();
    const read = async (headers: Record<string, string>) => {
      const { body } = await fetch(url, { ...post(abort.signal), headers });
      for await (const _ of body ?? []) if (headers['x-name'] !== 'cut') abort.abort();
    };
    await expect(read({ 'x-name': 'cut' })).rejects.toThrow('aborted');
    await expect(read({})).rejects.toThrow('aborted');
  });

  it('reports why there is no connection', async () => {
    const fetch = await openDirectFetch(false);
    await expect(fetch('http://127.0.0.1:1/v1', post())).rejects.toThrow('ECONNREFUSED 127.0.0.1:1');
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PrivateAddressError } from '../../../src/host/network.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { isPrivateAddress } from '../../../src/host/private-address.js';

const { network } = nodeHost('/');

async function serve(): Promise<{ readonly port: number; requests(): number }> {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(302, { location: '/next' }).end('moved');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests: () => requests };
}

const options = () => ({ headers: {}, signal: new AbortController().signal });

describe('connections of one task', () => {
  it('return a redirect instead of following it', async () => {
    const server = await serve();
    const connections = await network.open({ publicOnly: false });
    const response = await connections.request(new URL(`http://localhost:${server.port}/`), options());
    expect([response.status, response.headers.get('location')]).toEqual([302, '/next']);
    expect(await response.text()).toBe('moved');
    connections.close();
    expect(server.requests()).toBe(1);
  });

  it.each(['localhost', '127.0.0.1', '[::1]'])('public ones never reach %s, by name or by number', async (host) => {
    const server = await serve();
    const connections = await network.open({ publicOnly: true });
    const request = connections.request(new URL(`http://${host}:${server.port}/`), options());
    const error = await request.then(
      () => undefined,
      (thrown: Error) => (thrown.cause ?? thrown) as Error,
    );
    expect(error).toBeInstanceOf(PrivateAddressError);
    expect(error).toMatchObject({ host });
    connections.close();
    expect(server.requests()).toBe(0);
  });

  it('are cut when they are closed', async () => {
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const connections = await network.open({ publicOnly: false });
    const { port } = server.address() as AddressInfo;
    const request = connections.request(new URL(`http://127.0.0.1:${port}/`), options());
    connections.close();
    connections.close();
    await expect(request).rejects.toThrow();
  });
});

describe('the fetch for a URL', () => {
  const url = new URL('https://model.example/');

  it('goes through the proxy, unless the address is exempt', async () => {
    const server = await serve();
    const send = async (env: Record<string, string>) => {
      const found = await network.findFetch(new URL('http://model.example/'), env);
      if (!found.ok) throw new Error(found.reason);
      const { signal } = new AbortController();
      return found.fetch(`http://127.0.0.1:${server.port}/`, {
        method: 'POST',
        headers: {},
        body: Buffer.from(''),
        signal,
      });
    };
    expect((await send({ HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: 'model.example' })).status).toBe(302);
    await expect(send({ HTTP_PROXY: 'http://127.0.0.1:1' })).rejects.toThrow();
    expect(server.requests()).toBe(1);
  });

  it('explains what is wrong with a proxy or a certificate file', async () => {
    expect(await network.findFetch(url, { HTTPS_PROXY: 'no url' })).toMatchObject({ ok: false, kind: 'bad-proxy' });
    expect(await network.findFetch(url, { NODE_EXTRA_CA_CERTS: '/no/such.pem' })).toMatchObject({
      ok: false,
      kind: 'bad-ca',
      reason: expect.stringMatching(/NODE_EXTRA_CA_CERTS/),
    });
  });
});

it('text that is not an address is treated as private', () => {
  expect(isPrivateAddress('no address')).toBe(true);
  expect(isPrivateAddress('1.1.1.1')).toBe(false);
  expect(isPrivateAddress('::ffff:10.0.0.1')).toBe(true);
});

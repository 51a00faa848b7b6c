import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { htmlToMarkdown } from '../../../../src/tools/web/html-to-markdown.js';
import { checkUrl } from '../../../../src/tools/web/web-address.js';
import { webFetchTool } from '../../../../src/tools/web/web-fetch.js';
import { requestPage } from '../../../../src/tools/web/web-request.js';
import { readCorpus } from '../read-corpus.js';
import { makeBench } from '../tool-bench.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

const page =
  (type: string, body: string | Buffer, headers: object = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type, ...headers });
    response.end(body);
  };

describe('SF-14: WebFetch gives a page as Markdown', () => {
  it('SF-14: HTML without scripts, with title and whole links; the question on top', async () => {
    const html = `<html><head><title>A &amp; B</title><style>x{}</style></head><body><script>evil()</script>
      <h1>Head</h1><p>Text <a href="/next?q=1">link</a></p><pre><code>let x;</code></pre><img src="data:image/png;base64,AAAA"></body></html>`;
    const port = await serve(page('text/html; charset=utf-8', html));
    const bench = await makeBench();
    const url = `http://127.0.0.1:${port}/start`;
    const said = await bench.say(webFetchTool, { url, prompt: 'What is x?' });
    expect(said).toBe(
      `URL: ${url}\nQuestion: What is x?\n\n# A & B\n\n# Head\n\nText [link](http://127.0.0.1:${port}/next?q=1)\n\n\`\`\`\nlet x;\n\`\`\``,
    );
  });

  it('SF-14: JSON and text as they are, other charsets, compressed', async () => {
    const bench = await makeBench();
    const say = async (listener: RequestListener) =>
      bench.say(webFetchTool, { url: `http://localhost:${await serve(listener)}/` });
    expect(await say(page('application/json', '{"a": 1}'))).toMatch(/\n\n\{"a": 1\}$/);
    expect(await say(page('text/plain; charset=iso-8859-1', Buffer.from('Grüße', 'latin1')))).toMatch(/Grüße$/);
    expect(await say(page('text/plain', gzipSync('packed'), { 'content-encoding': 'gzip' }))).toMatch(/packed$/);
    expect(await say(page('text/plain', ''))).toContain('(the page is empty)');
  });

  it('SF-14: other types, errors and too much are refused', async () => {
    const bench = await makeBench();
    const call = async (listener: RequestListener) =>
      bench.call(webFetchTool, { url: `http://127.0.0.1:${await serve(listener)}/` });
    const binary = await call(page('application/zip', 'PK'));
    expect(JSON.stringify(binary)).toContain('application/zip, not text');
    const missing = await call((_request, response) =>
      response.writeHead(404, { 'content-type': 'text/plain' }).end('gone'),
    );
    expect(missing.isError).toBe(true);
    expect(JSON.stringify(missing)).toContain('Status: 404');
    // A bomb: small on the wire, endless when unpacked.
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const much = await call(page('text/plain', bomb, { 'content-encoding': 'gzip' }));
    expect(JSON.stringify(much)).toContain('larger than');
    const cut = await call((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    });
    expect(cut.isError).toBe(true);
    const port = await serve(page('text/plain', ''));
    servers.pop()?.close();
    expect(await bench.say(webFetchTool, { url: `http://127.0.0.1:${port}/` })).toContain('no server listens');
  });

  it('SF-14: redirects on the same host are followed, others are named', async () => {
    const bench = await makeBench();
    const port = await serve((request, response) => {
      const to: Readonly<Record<string, string>> = {
        '/same': '/end',
        '/other': 'http://example.com/there',
        '/port': 'http://127.0.0.1:1/x',
        '/name': 'http://localhost/x',
        '/loop': '/loop',
        '/odd': 'http://',
        '/file': 'file:///etc/passwd',
      };
      const location = to[request.url ?? ''];
      if (location === undefined) response.writeHead(200, { 'content-type': 'text/plain' }).end('arrived');
      else response.writeHead(302, { location }).end();
    });
    const say = (path: string) => bench.say(webFetchTool, { url: `http://127.0.0.1:${port}${path}` });
    expect(await say('/same')).toBe(`URL: http://127.0.0.1:${port}/end\n\narrived`);
    expect(await say('/other')).toMatch(/another host:\nhttp:\/\/example\.com\/there\nIt was not followed/);
    expect(await say('/port')).toContain('another host');
    expect(await say('/name')).toContain('another host');
    expect(await say('/file')).toContain('another host');
    expect(await say('/loop')).toContain('more than 10 redirects');
    expect(await say('/odd')).toContain('is not a valid address');
  });

  it('LC-2 SF-14: ends when it is aborted, before and during', async () => {
    const bench = await makeBench();
    const stop = new AbortController();
    let asked = 0;
    const port = await serve((_request, response) => {
      asked += 1;
      response.writeHead(200, { 'content-type': 'text/plain' }).write('some');
      setTimeout(() => stop.abort(), 20);
    });
    const url = `http://127.0.0.1:${port}/`;
    expect(await bench.say(webFetchTool, { url }, { signal: stop.signal })).toContain('interrupted');
    expect(await bench.say(webFetchTool, { url }, { signal: stop.signal })).toContain('interrupted');
    expect(asked).toBe(1);
  });
});

describe('SF-14: WebFetch asks only where it may', () => {
  it('SF-14: private addresses however they are written', () => {
    const refused = [
      '10.1.2.3',
      '127.0.0.2',
      '169.254.169.254',
      '192.168.0.1',
      '172.31.0.1',
      '0.0.0.0',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '127.1',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[fe80::1]',
      '[fd00::1]',
      '[64:ff9b::a00:1]',
      '[0:0:0:0:0:0:0:1]',
      'user@127.0.0.1',
      'modelcontextprotocol.io@evil.com',
    ];
    for (const host of refused) expect(checkUrl(`http://${host}/`), host).toHaveProperty('reason');
    for (const host of ['localhost', 'LOCALHOST:80', '127.0.0.1', '[::1]:8080']) {
      expect(checkUrl(`http://${host}/`), host).toMatchObject({ local: true });
    }
    for (const host of [
      'example.com',
      '1.1.1.1',
      '[2606:4700::1111]',
      'localhost.evil.com',
      'localhost.',
      '127.0.0.1.evil.com',
    ]) {
      expect(checkUrl(`http://${host}/`), host).toMatchObject({ local: false });
    }
    for (const url of [
      'file:///etc/passwd',
      'ftp://x/',
      'javascript:1',
      'example.com',
      '',
      'http://',
      `http://x/${'a'.repeat(5000)}`,
    ]) {
      expect(checkUrl(url), url.slice(0, 40)).toHaveProperty('reason');
    }
  });

  it('SF-14: a name that leads to this machine is refused when the connection is made', async () => {
    const bench = await makeBench();
    let asked = 0;
    const port = await serve((_request, response) => {
      asked += 1;
      response.end();
    });
    // Asked as any other name would be: only the address it leads to gives it away.
    const answer = await requestPage(new URL(`http://localhost:${port}/`), false, bench.context);
    expect(answer).toEqual({
      kind: 'failed',
      reason: expect.stringMatching(/^localhost is \S+, which belongs to this machine/),
    });
    expect(await requestPage(new URL(`http://localhost:${port}/`), true, bench.context)).toMatchObject({
      kind: 'page',
    });
    expect(await bench.say(webFetchTool, { url: `http://localhost.:${port}/` })).toMatch(
      /not fetched|could not be resolved/,
    );
    expect(asked).toBe(1);
  });

  it('SF-14: the host rows of the corpus reach nothing local', async () => {
    const bench = await makeBench();
    let asked = 0;
    const port = await serve((_request, response) => {
      asked += 1;
      response.end();
    });
    const hosts = readCorpus('network-host').filter(({ id }) =>
      ['host-05', 'host-09', 'host-10', 'host-11', 'host-13'].includes(id),
    );
    expect(hosts).toHaveLength(5);
    for (const { id, input } of hosts) {
      const outcome = await bench.call(webFetchTool, { url: `http://${input}:${port}/` });
      expect(outcome.isError, id).toBe(true);
    }
    expect(asked).toBe(0);
  });

  it('SF-14, GT-10: strange HTML comes to an end, and the session goes on meanwhile', async () => {
    const options = { deadlineMs: 300 };
    const pages = ['<', '<a ', '<!--', '<script>', '<title', '](/', '<div></x>', '<ul><li></x></y>', '<b a=', '<div>'];
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 5);
    try {
      for (const piece of pages) {
        const text = await htmlToMarkdown(`the beginning ${piece.repeat(30_000)}`, 'http://x/', options);
        expect(text, piece).toContain('the beginning');
      }
      const before = ticks;
      const deep = await htmlToMarkdown(`${'<div></x>'.repeat(100_000)}deep<script>no</script>`, 'http://x/', options);
      expect(deep).toBe('deep\n\n(the page is too intricate to convert; this is its plain text)');
      expect(ticks).toBeGreaterThan(before);
    } finally {
      clearInterval(ticking);
    }
    expect(await htmlToMarkdown(`<p>${'word '.repeat(300_000)}`, 'http://x/')).toContain('the page continues');
  });
});

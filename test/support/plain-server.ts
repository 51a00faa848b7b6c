/** A server that speaks the Messages API in a few lines of its own, sharing nothing with the simulated model. */

import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type Heard = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };

export type PlainServer = { readonly url: string; readonly port: number; readonly heard: Heard[] };

export type PlainAnswer = { readonly status?: number; readonly text: string };

/** `answer` gives the words of the reply; a status of its own makes it an error. */
export async function plainServer(
  answer: (heard: Heard, count: number) => PlainAnswer,
  tls?: { readonly key: string; readonly cert: string },
): Promise<PlainServer> {
  const heard: Heard[] = [];
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body };
      heard.push(one);
      const { status = 200, text } = answer(one, heard.length);
      if (status !== 200) {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: text } }));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of stream(text))
        response.write(`event: ${event.type}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`);
      response.end();
    });
  };
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  const port = await listen(server);
  return { url: `${tls ? 'https' : 'http'}://localhost:${port}`, port, heard };
}

/** With fields, events and blocks that no client of ours knows. */
function stream(text: string) {
  return [
    {
      type: 'message_start',
      message: {
        id: 'msg_plain',
        type: 'message',
        role: 'assistant',
        model: 'plain',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 1, service_tier: 'standard' },
        container: null,
      },
    },
    { type: 'something_new', index: 7 },
    { type: 'content_block_start', index: 0, content_block: { type: 'a_new_kind', data: 1 } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '', citations: null } },
    { type: 'ping' },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text } },
    { type: 'content_block_delta', index: 1, delta: { type: 'a_new_delta', value: 1 } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ];
}

export type Proxy = { readonly url: string; readonly tunnels: string[] };

/** An HTTP proxy that only opens tunnels, wherever it is asked to: to `target` of this machine. */
export async function tunnelProxy(target: number): Promise<Proxy> {
  const tunnels: string[] = [];
  const server = createServer((_request, response) => {
    response.writeHead(405).end();
  });
  server.on('connect', (request, client: Socket, head: Buffer) => {
    tunnels.push(request.url ?? '');
    const upstream = connect(target, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, tunnels };
}

/** Answers as the test says. */
export async function serve(listener: RequestListener): Promise<{ readonly url: string; readonly port: number }> {
  const port = await listen(createServer(listener));
  return { url: `http://localhost:${port}`, port };
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  return (server.address() as AddressInfo).port;
}

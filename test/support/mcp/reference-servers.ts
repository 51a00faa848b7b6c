/** The public reference servers, as a person configures them, or runs them. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { until } from '../until.js';

const require = createRequire(import.meta.url);

export function referenceServer(name: 'everything' | 'filesystem' | 'memory', ...args: readonly string[]) {
  return {
    command: process.execPath,
    args: [require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
  };
}

/** The everything server over HTTP, as one that the person runs. Gives its URL. */
export async function everythingOver(type: 'http' | 'sse'): Promise<string> {
  const port = await freePort();
  const { command, args } = referenceServer('everything', type === 'sse' ? 'sse' : 'streamableHttp');
  const child = spawn(command, args, { env: { PATH: process.env.PATH, PORT: String(port) } });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  let said = '';
  const hear = (piece: Buffer) => {
    said += piece.toString('utf8');
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  await until(() => /(listening|running) on port/i.test(said), 'the server listens');
  return `http://127.0.0.1:${port}/${type === 'sse' ? 'sse' : 'mcp'}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

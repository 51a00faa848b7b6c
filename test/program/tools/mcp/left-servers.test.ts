/** Servers that a process of ours left when it was killed are ended by the next start, and nobody else. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { identifyOwnProcess, identifyProcess } from '../../../../src/host/locks/process-identity.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { endLeftServers } from '../../../../src/tools/mcp/connect/left-servers.js';
import { bundle } from '../../../support/bundle.js';
import { runningWith } from '../../../support/processes.js';
import { scratchFolder } from '../../../support/scratch.js';
import { until } from '../../../support/until.js';
import { setStage } from '../../../unit/tools/mcp/connect/connect-stage.js';

const CONNECT = new URL('../../../../src/tools/mcp/connect/connect-server.ts', import.meta.url);
const NODE_HOST = new URL('../../../../src/host/node-host.ts', import.meta.url);

it('MC-15: after kill -9 of our process, the next start ends the server and its children, and removes its record', async () => {
  const stage = await setStage();
  const modules = await Promise.all([CONNECT, NODE_HOST].map(async (module) => bundle(module, await scratchFolder())));
  const seconds = `${process.pid}7.25`;
  const script = join(stage.folder, 'session.mjs');
  const never = `new AbortController().signal`;
  writeFileSync(
    script,
    `import { connectServer } from '${modules[0]}';
     import { nodeHost } from '${modules[1]}';
     const connected = await connectServer({
       server: { name: 'left', origin: { scope: 'user', file: '' }, isForeign: false, config: ${JSON.stringify(stage.bad({}))} },
       host: nodeHost('${stage.folder}', process.env),
       environment: (server, env) => ({ env: { ...env, BAD: JSON.stringify({ children: ['${seconds}'] }) }, withheld: [] }),
       roots: () => [], elicit: async () => ({ action: 'decline' }), onListChanged: () => {}, onLost: () => {}, signal: ${never},
     });
     console.log(connected.ok ? 'connected' : connected.reason);`,
  );
  const child = spawn(process.execPath, [script], { env: { ...stage.env, NODE_PATH: process.env.NODE_PATH } });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (said += piece));
  await until(() => said.includes('\n'));
  expect(said).toBe('connected\n');
  const sleeping = () => runningWith(`sleep ${seconds}`).filter((line) => /^\d+ sleep/.test(line));
  await until(() => sleeping().length === 3);
  expect(await endLeftServers(stage.host), 'its owner lives').toEqual([]);
  expect(sleeping()).toHaveLength(3);

  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  expect(sleeping()).toHaveLength(3);
  expect(await endLeftServers(stage.host)).toEqual(['left']);
  expect(sleeping()).toEqual([]);
  expect(stage.running()).toEqual([]);
  expect(readdirSync(join(stage.folder, 'coppice', 'mcp', 'running'))).toEqual([]);
});

it('MC-15: a stranger with the pid of a server that is gone is left alone; records that are none are removed', async () => {
  const folder = await scratchFolder();
  const host = nodeHost(folder, { PATH: process.env.PATH, HOME: folder });
  const records = join(folder, '.coppice', 'mcp', 'running');
  mkdirSync(records, { recursive: true });
  const stranger = spawn('sleep', [`${process.pid}8.25`], { detached: true });
  onTestFinished(() => void stranger.kill('SIGKILL'));
  const pid = stranger.pid ?? 0;
  const gone = { ...(await identifyOwnProcess(host)), pid: 2 ** 22 + 1 };
  const known = await identifyProcess(host, pid);
  const write = (name: string, value: unknown) => writeFileSync(join(records, name), JSON.stringify(value));
  write('earlier.json', { name: 'a', tag: 'tag-of-earlier', owner: gone, server: { ...known, started: 'proc:1' } });
  write('unknown.json', { name: 'b', tag: 'tag-of-unknown', owner: gone, server: { ...known, started: undefined } });
  write('everybody.json', { name: 'c', tag: 'tag-of-everybody', owner: gone, server: { ...known, pid: 1 } });
  write('group.json', { name: 'd', tag: 'tag-of-group', owner: gone, server: { ...known, pid: -1 } });
  write('short.json', { name: 'e', tag: '', owner: gone, server: known });
  writeFileSync(join(records, 'broken.json'), 'no json');
  write('elsewhere.json', { name: 'f', tag: 'tag-elsewhere', owner: { ...gone, space: 'pid:[1]' }, server: known });
  expect(await endLeftServers(host)).toEqual([]);
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
  expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).not.toMatch(/\) Z/);
  // That of another container may run there.
  expect(readdirSync(records)).toEqual(['elsewhere.json']);
  expect(await endLeftServers(nodeHost(folder, { HOME: join(folder, 'nowhere') }))).toEqual([]);
});

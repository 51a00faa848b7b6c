/**
 * An editor as a process of its own: opens or loads a session and prompts it once. Says on standard output, a JSON per line,
 * what it got: `{pid}` of the agent, `{sessionId}`, `{loaded: texts of the person}`, `{seen: the kind of an update}`.
 */

import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { client, ndJsonStream } from '@agentclientprotocol/sdk';

const { program, args, cwd, session, prompt } = JSON.parse(process.argv[2]);
const tell = (fact) => process.stdout.write(`${JSON.stringify(fact)}\n`);
const agent = spawn(process.execPath, [program, 'acp', ...args], { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
tell({ pid: agent.pid });
const said = [];
const connection = client({ name: 'editor' })
  .onNotification('session/update', ({ params: { update } }) => {
    if (update.sessionUpdate === 'user_message_chunk') said.push(update.content.text);
    tell({ seen: update.sessionUpdate });
  })
  .onRequest('session/request_permission', () => new Promise(() => {}))
  .connect(ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)));
await connection.agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
let sessionId = session;
if (session === undefined) ({ sessionId } = await connection.agent.request('session/new', { cwd, mcpServers: [] }));
else await connection.agent.request('session/load', { sessionId, cwd, mcpServers: [] });
tell({ sessionId, loaded: said });
await connection.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] });
tell({ seen: 'end' });

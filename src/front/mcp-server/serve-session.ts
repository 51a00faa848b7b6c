/** An MCP server whose tools are those of a session. Each call is the session's own: hooks, rules and records are the same. */

import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { VERSION } from '../../config/version.js';
import { factsOf } from '../../protocol/tools/built-in-tools.js';
import { findTool } from '../../tools/registry.js';
import type { Session } from '../sdk/session.js';
import { CallProgress } from './call-progress.js';
import { describeTool } from './describe-tool.js';
import { callResult } from './result-content.js';

export type ServedSession = Pick<Session, 'execute' | 'watch' | 'tools' | 'servers' | 'cwd'>;

/** `newId`: ids for calls, unlike those of the client, which two connections may share. */
export function serveSession(session: ServedSession, newId: () => string): Server {
  const server = new Server(
    { name: 'coppice', version: VERSION },
    { capabilities: { tools: { listChanged: true } }, instructions: instructionsFor(session) },
  );
  const progress = new CallProgress();
  session.watch(progress.onEvent);
  // Nobody is at the session.
  const served = () => session.tools.filter(({ name }) => !factsOf(name).forUser);
  const listed = () => served().map(describeTool);
  let known = JSON.stringify(listed());
  const tellChanges = async () => {
    const now = JSON.stringify(listed());
    if (now === known) return;
    known = now;
    // A client that is gone is told nothing.
    await server.sendToolListChanged().catch(() => {});
  };
  // Servers of its own may still be connecting.
  void session.servers().then(tellChanges);
  server.setRequestHandler('tools/list', () => {
    const tools = listed();
    known = JSON.stringify(tools);
    return { tools };
  });
  server.setRequestHandler('tools/call', async ({ params }, context): Promise<CallToolResult> => {
    const { name, arguments: input = {} } = params;
    if (findTool(served(), name) === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name)}.`);
    }
    const call = `mcp-${newId()}`;
    const unfollow = progress.follow(call, progressTo(context));
    const cancel = () => void session.execute({ type: 'cancel-call', call });
    context.mcpReq.signal.addEventListener('abort', cancel, { once: true });
    try {
      const running = session.execute({ type: 'call-tool', call, tool: name, input });
      if (context.mcpReq.signal.aborted) cancel();
      const result = callResult(await running, call);
      await tellChanges();
      return result;
    } finally {
      context.mcpReq.signal.removeEventListener('abort', cancel);
      unfollow();
    }
  });
  return server;
}

function instructionsFor({ cwd }: ServedSession): string {
  return [
    `Tools of Coppice, working in ${cwd}. Each call passes the permission rules of that folder and of its user;`,
    'what would need the user is denied, with the rule that would allow it.',
    'Read a file before you Edit or Write it. Agent hands a whole task to an agent with a model of its own, and waits for it.',
  ].join(' ');
}

/** MCP wants a number that grows; how much is left nobody knows. */
function progressTo({ mcpReq }: ServerContext): (line: string) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  return (message) => {
    progress += 1;
    const params = { progressToken, progress, message };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

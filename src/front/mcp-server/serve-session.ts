/** An MCP server that offers the tools of a session. Each call is the session's own, with the same hooks, rules and records. */

import {
  type CallToolResult,
  type Tool as ListedTool,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type ToolAnnotations,
} from '@modelcontextprotocol/server';
import { VERSION } from '../../config/version.js';
import type { CalledTool } from '../../engine/commands/command-results.js';
import type { ResultContent } from '../../protocol/blocks.js';
import { type Listener, MAIN_AGENT } from '../../protocol/events.js';
import { factsOf } from '../../protocol/tools/built-in-tools.js';
import type { ToolEffect } from '../../protocol/tools/tool-facts.js';
import { findTool } from '../../tools/registry.js';
import type { Tool } from '../../tools/tool.js';
import type { Session } from '../sdk/session.js';
import { progressLine, progressText } from '../view/progress-line.js';
import { RootCalls } from '../view/root-calls.js';

export type ServedSession = Pick<Session, 'execute' | 'watch' | 'tools' | 'servers' | 'cwd'>;

/** `newId`: ids for calls; ids of clients are not unique across connections. */
export function serveSession(session: ServedSession, newId: () => string): Server {
  const server = new Server(
    { name: 'coppice', version: VERSION },
    { capabilities: { tools: { listChanged: true } }, instructions: instructionsFor(session) },
  );
  const progress = new CallProgress();
  session.watch(progress.onEvent);
  // No user can answer.
  const served = () => session.tools.filter(({ name }) => !factsOf(name).forUser);
  const listed = () => served().map(describeTool);
  let known = JSON.stringify(listed());
  const tellChanges = async () => {
    const now = JSON.stringify(listed());
    if (now === known) return;
    known = now;
    // A client that is gone gets no notification.
    await server.sendToolListChanged().catch(() => {});
  };
  // Its own servers may still be connecting.
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

/** MCP requires a growing number; the total is not known. */
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

/** Reports, for each call, what its tool and the agents it started are doing. */
class CallProgress {
  readonly #followed = new Map<string, (line: string) => void>();
  readonly #rootCalls = new RootCalls();

  /** Returns a function that stops it. */
  follow(call: string, report: (line: string) => void): () => void {
    this.#followed.set(call, report);
    return () => this.#followed.delete(call);
  }

  readonly onEvent: Listener = ({ agent, event }) => {
    this.#rootCalls.take(agent, event);
    if (agent === MAIN_AGENT) {
      if (event.kind === 'call-progressed') this.#followed.get(event.call)?.(progressText(event.line));
      return;
    }
    const report = this.#followed.get(this.#rootCalls.of(agent) ?? '');
    const line = report && progressLine('mcp', event);
    if (line !== undefined) report?.(progressText(line));
  };
}

/** A tool of the session as an MCP client sees it. */
export function describeTool({ name, description, inputSchema }: Tool): ListedTool {
  const { effect } = factsOf(name);
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    ...(effect === undefined ? {} : { annotations: ANNOTATIONS[effect] }),
  };
}

const ANNOTATIONS: Readonly<Record<ToolEffect, ToolAnnotations>> = {
  none: { readOnlyHint: true, openWorldHint: false },
  'none-outside': { readOnlyHint: true, openWorldHint: true },
  notes: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  changes: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  anything: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

/** The result of a tool as MCP blocks. */
function callResult(called: CalledTool, call: string): CallToolResult {
  if (!called.ok) return { isError: true, content: [{ type: 'text', text: called.reason }] };
  const content = called.content.map((block, index) => contentBlock(block, `${call}/${index}`));
  return called.isError ? { isError: true, content } : { content };
}

function contentBlock(block: ResultContent, id: string): CallToolResult['content'][number] {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image', data: block.source.data, mimeType: block.source.media_type };
    case 'document': {
      const { data, media_type: mimeType } = block.source;
      return { type: 'resource', resource: { uri: `coppice:/documents/${id}`, mimeType, blob: data } };
    }
    default:
      return block satisfies never;
  }
}

import { callsFor } from '../../../../support/mcp/told.js';
import { untilFound } from '../../../../support/until.js';
import { setPlainStage } from '../../plain/plain-stage.js';

export const ARGS = [
  '--output-format',
  'stream-json',
  '--verbose',
  '--input-format',
  'stream-json',
  '--allowedTools=mcp__s',
];

export type Json = Readonly<Record<string, unknown>>;

export type Message = { readonly id?: number; readonly method?: string };

/** What the client answers to a message: a JSON-RPC result, a whole control response, or nothing at all. */
export type Answer =
  | { readonly result: object }
  | { readonly response: unknown }
  | { readonly error: string }
  | undefined;

export const HONEST: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
  'tools/list': { tools: [{ name: 'one', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
};

export const honest = ({ method = '' }: Message): Answer => ({ result: HONEST[method] ?? {} });

export async function startClient(answer: (message: Message) => Answer) {
  const stage = await setPlainStage([...callsFor('call', [{ tool: 'mcp__s__one', input: {} }]), { reply: 'ok' }]);
  const program = stage.pipe(ARGS, { MCP_TIMEOUT: '1500' });
  const send = (line: object) => program.say(JSON.stringify(line));
  const lines = () =>
    program
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Json);
  const forwarded: Message[] = [];
  let seen = 0;
  /** Answers what came since. */
  const serve = () => {
    const fresh = lines().slice(seen);
    seen += fresh.length;
    for (const { type, request_id, request } of fresh) {
      const { subtype, message } = (request ?? {}) as { subtype?: string; message?: Message };
      if (type !== 'control_request' || subtype !== 'mcp_message' || message === undefined) continue;
      forwarded.push(message);
      const given = answer(message);
      if (given === undefined) continue;
      const response =
        'result' in given
          ? { mcp_response: { jsonrpc: '2.0', id: message.id ?? 0, result: given.result } }
          : 'response' in given
            ? given.response
            : undefined;
      const said = 'error' in given ? { subtype: 'error', error: given.error } : { subtype: 'success', response };
      send({ type: 'control_response', response: { ...said, request_id } });
    }
  };
  const untilLine = (is: (line: Json) => boolean, what: string) =>
    untilFound(() => {
      serve();
      return lines().find(is);
    }, what);
  let requests = 0;
  const request = async (fields: object) => {
    const request_id = `r${++requests}`;
    send({ type: 'control_request', request_id, request: fields });
    const found = await untilLine(
      ({ type, response }) => type === 'control_response' && (response as Json).request_id === request_id,
      JSON.stringify(fields),
    );
    return found.response as { readonly subtype: string; readonly response?: Json; readonly error?: string };
  };
  let prompts = 0;
  const ask = async (content: string) => {
    prompts += 1;
    send({ type: 'user', message: { role: 'user', content } });
    await untilFound(() => {
      serve();
      return lines().filter(({ type }) => type === 'result')[prompts - 1];
    }, `the result of ${content}`);
  };
  const status = async () => {
    const { response } = await request({ subtype: 'mcp_status' });
    const [server] = (response?.mcpServers ?? []) as { status: string; error?: string }[];
    return server;
  };
  await request({ subtype: 'initialize', sdkMcpServers: ['s'] });
  return { stage, program, request, ask, status, lines, forwarded };
}

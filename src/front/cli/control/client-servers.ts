/** MCP servers that run in the client's process: every message to and from one is a control request. */

import type { SessionOptions } from '../../../engine/session-options.js';
import { newAbort } from '../../../host/clock.js';
import { isObject, objectOf } from '../../../protocol/json/json-values.js';
import type { Result } from '../../../protocol/result.js';
import type { ControlRequest } from './client-line.js';
import type { ClientAnswer } from './client-requests.js';

/** The part of the requests to the client that is used. */
export type ClientPort = {
  /** Aborted when the client has closed its input. */
  readonly gone: AbortSignal;
  send(request: object, signal?: AbortSignal): Promise<ClientAnswer>;
};

/** Our end of the connection: the transport that a server of the MCP SDK gets. */
type LineEnd = {
  onmessage?: (message: never) => void;
  onclose?: () => void;
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
};

type Message = Readonly<Record<string, unknown>>;

export class ClientServers {
  readonly #client: ClientPort;
  /** One object per name: a session recognises its server by identity. */
  readonly #servers = new Map<string, ClientServer>();

  constructor(client: ClientPort) {
    this.#client = client;
  }

  /** As the session's option `mcpServers` takes it. */
  entry(name: string, { timeout, tools }: Message): object {
    const known = this.#servers.get(name);
    const instance = known ?? new ClientServer(name, this.#client);
    this.#servers.set(name, instance);
    // The client may have replaced it with another object.
    known?.lookAgain();
    return { instance, ...(timeout === undefined ? {} : { timeout }), ...(tools === undefined ? {} : { tools }) };
  }

  /** Takes an unsolicited message of a server. Returns why it can't be accepted. */
  take(name: unknown, message: unknown): string | undefined {
    const server = typeof name === 'string' ? this.#servers.get(name) : undefined;
    if (server === undefined) return `Server not found: ${String(name).slice(0, 200)}`;
    return isMessage(message) ? server.take(message) : 'mcp_message: message must be a JSON-RPC 2.0 object';
  }
}

export type AskedServers = Result<{ readonly servers: NonNullable<SessionOptions['mcpServers']> }>;

/** The servers that `initialize` names. Their manifests are not needed: each server is queried. */
export function clientServers(request: ControlRequest['request'], servers: ClientServers): AskedServers {
  const names = request.sdkMcpServers ?? [];
  const configs = request.sdkMcpServerConfigs ?? {};
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
    return { ok: false, reason: 'sdkMcpServers must be a list of names' };
  }
  if (!isObject(configs)) return { ok: false, reason: 'sdkMcpServerConfigs must be an object' };
  const entries: (readonly [string, object])[] = [];
  for (const name of names) {
    const config = (Object.hasOwn(configs, name) ? configs[name] : undefined) ?? {};
    const unknown = isObject(config) ? Object.keys(config).find((key) => !KNOWN.has(key)) : '';
    if (!isObject(config) || unknown !== undefined) {
      const place = `sdkMcpServerConfigs.${name}${unknown ? `.${unknown}` : ''}`;
      return { ok: false, reason: `${place}: not supported in this version` };
    }
    entries.push([name, servers.entry(name, config)]);
  }
  return { ok: true, servers: Object.fromEntries(entries) };
}

const KNOWN: ReadonlySet<string> = new Set(['type', 'name', 'timeout', 'tools']);

/** Behaves like a server of the MCP SDK in this process; it can be reconnected. */
class ClientServer {
  readonly #name: string;
  readonly #client: ClientPort;
  #line: LineEnd | undefined;

  constructor(name: string, client: ClientPort) {
    this.#name = name;
    this.#client = client;
  }

  async connect(line: LineEnd): Promise<void> {
    const { gone } = this.#client;
    if (gone.aborted) throw new Error('the client that runs it has gone');
    const hangUp = () => void line.close().catch(() => {});
    /** Our open requests by id. */
    const waiting = new Map<unknown, AbortController>();
    this.#line = line;
    line.onmessage = (message) => void this.#forward(line, message, waiting);
    line.onclose = () => {
      gone.removeEventListener('abort', hangUp);
      if (this.#line === line) this.#line = undefined;
      for (const one of waiting.values()) one.abort();
    };
    gone.addEventListener('abort', hangUp, { once: true });
    await line.start();
  }

  take(message: Message): string | undefined {
    if (this.#line === undefined) return `${this.#name} is not connected`;
    void this.#line.send(message).catch(() => {});
    return undefined;
  }

  lookAgain(): void {
    this.take({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  }

  /** Never rejects. Anything but an answer fails the request, since no answer would come later. */
  async #forward(line: LineEnd, message: Message, waiting: Map<unknown, AbortController>): Promise<void> {
    const { id, method, params } = message;
    const request = { subtype: 'mcp_message', server_name: this.#name, message };
    if (id === undefined || method === undefined) {
      // The server does not answer cancelled requests.
      if (method === 'notifications/cancelled' && isObject(params)) waiting.get(params.requestId)?.abort();
      await this.#client.send(request);
      return;
    }
    const withdraw = newAbort();
    waiting.set(id, withdraw);
    const answer = await this.#client.send(request, withdraw.signal);
    waiting.delete(id);
    const reply = replyOf(answer, id);
    if (reply !== undefined) await line.send(reply).catch(() => {});
  }
}

/** Undefined if nobody waits for it any more. */
function replyOf(answer: ClientAnswer, id: unknown): object | undefined {
  switch (answer.kind) {
    case 'answered': {
      const { mcp_response: reply } = objectOf(answer.response);
      const isReply = isMessage(reply) && reply.id === id && ('result' in reply || 'error' in reply);
      return isReply ? reply : failure(id, 'the client that runs it sent something else than the answer');
    }
    case 'failed':
      return failure(id, answer.error.slice(0, LONGEST_REASON));
    case 'gone':
    case 'withdrawn':
      return undefined;
    default:
      return answer satisfies never;
  }
}

function failure(id: unknown, message: string): object {
  return { jsonrpc: '2.0', id, error: { code: NO_ANSWER, message } };
}

/** Our own code, in the range reserved for implementations. */
const NO_ANSWER = -32_093;
const LONGEST_REASON = 2_000;

function isMessage(value: unknown): value is Message {
  return isObject(value) && value.jsonrpc === '2.0';
}

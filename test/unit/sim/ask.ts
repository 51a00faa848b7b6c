/** Small ways to ask the simulated model, by raw fetch and by the official SDK. */

import Anthropic from '@anthropic-ai/sdk';
import type {
  Marked,
  WireEvent,
  WireMessage,
  WireReplyBlock,
  WireRequest,
  WireTool,
} from '../../../src/model/anthropic/wire.js';
import type { ContentBlock, TextBlock } from '../../../src/protocol/blocks.js';

export const MODEL = 'claude-opus-5-5';
export const MANUAL_MODEL = 'claude-sonnet-4-5';

export const HEADERS = {
  'x-api-key': 'key-one',
  'anthropic-version': '2023-06-01',
  'content-type': 'application/json',
};

export function requestOf(messages: readonly WireMessage[], more: Partial<WireRequest> = {}): WireRequest {
  return { model: MODEL, max_tokens: 1_000, messages, ...more };
}

export const user = (...content: (string | Marked<ContentBlock>)[]): WireMessage => ({
  role: 'user',
  content: content.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)),
});

export const assistant = (...content: (string | Marked<ContentBlock | WireReplyBlock>)[]): WireMessage => ({
  role: 'assistant',
  content: content.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)),
});

export const call = (id: string, name = 'Read', input: unknown = {}): ContentBlock => ({
  type: 'tool_use',
  id,
  name,
  input,
});

export const result = (id: string, content = 'ok'): ContentBlock => ({ type: 'tool_result', tool_use_id: id, content });

export const tool = (name: string, description = 'does something'): WireTool => ({
  name,
  description,
  input_schema: { type: 'object', properties: {} },
});

export const marked = (text: string, ttl?: '5m' | '1h'): Marked<TextBlock> => ({
  type: 'text',
  text,
  cache_control: ttl ? { type: 'ephemeral', ttl } : { type: 'ephemeral' },
});

export function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = HEADERS,
  signal?: AbortSignal,
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`${url}/v1/messages`, { method: 'POST', headers, body: text, signal });
}

/** The events of a stream, read as strictly as a client may. */
export async function eventsOf(response: Response): Promise<WireEvent[]> {
  const text = await response.text();
  return text
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? [];
      const event = JSON.parse(data ?? 'null') as WireEvent;
      if (event.type !== name) throw new Error(`event ${name} carries ${event.type}`);
      return event;
    });
}

export async function errorOf(response: Response): Promise<{ status: number; type: string; message: string }> {
  const body = (await response.json()) as {
    type: string;
    error: { type: string; message: string };
    request_id: string;
  };
  if (body.type !== 'error' || !body.request_id) throw new Error(`not the shape of an error: ${JSON.stringify(body)}`);
  return { status: response.status, ...body.error };
}

export const sdk = (url: string, apiKey = 'key-one') => new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });

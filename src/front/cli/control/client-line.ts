/** Parses and validates a `stream-json` line from a client, which is another program and untrusted. */

import * as z from 'zod';
import type { UserBlock } from '../../../protocol/blocks.js';
import { parseJson } from '../../../protocol/json/json-values.js';

const base64 = z
  .string()
  .min(1)
  .regex(/^[A-Za-z0-9+/=\s]+$/, 'not base64');
const block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('image'),
    source: z.object({
      type: z.literal('base64'),
      media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
      data: base64,
    }),
  }),
  z.object({
    type: z.literal('document'),
    source: z.object({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: base64 }),
    title: z.string().optional(),
  }),
]);

const userLine = z.object({
  type: z.literal('user'),
  message: z.object({ role: z.literal('user'), content: z.union([z.string(), z.array(block)]) }),
  parent_tool_use_id: z.null().optional(),
  // It becomes the prompt's key; keys of our own must stay distinct.
  uuid: z.guid().optional(),
});

const requestLine = z.object({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
});

const responseLine = z.object({
  type: z.literal('control_response'),
  response: z.discriminatedUnion('subtype', [
    z.object({ subtype: z.literal('success'), request_id: z.string(), response: z.unknown().optional() }),
    z.object({ subtype: z.literal('error'), request_id: z.string(), error: z.string() }),
  ]),
});

/** Valid lines that need no action: a keep-alive, or a request that the client cancelled. */
const idleLine = z.object({ type: z.enum(['keep_alive', 'control_cancel_request']) });

const clientLine = z.discriminatedUnion('type', [userLine, requestLine, responseLine, idleLine]);

export type ControlRequest = z.infer<typeof requestLine>;
export type ControlResponse = z.infer<typeof responseLine>['response'];

export type ClientLine =
  | {
      readonly kind: 'user';
      readonly blocks: readonly UserBlock[];
      /** As it was sent. */
      readonly content: unknown;
      readonly uuid?: string;
    }
  | { readonly kind: 'request'; readonly line: ControlRequest }
  | { readonly kind: 'response'; readonly response: ControlResponse }
  | { readonly kind: 'idle' }
  | Malformed;

export type Malformed = {
  readonly kind: 'malformed';
  readonly reason: string;
  readonly requestId?: string;
  /** It may have been the client's `initialize`, with hooks that it relies on. */
  readonly mayInitialize?: boolean;
};

/** `isExact`: the line was valid UTF-8. */
export function parseClientLine(text: string, isExact = true): ClientLine {
  if (text.trim() === '') return { kind: 'idle' };
  const mayInitialize = text.includes('"initialize"');
  if (!isExact) return { kind: 'malformed', reason: 'it is not UTF-8', mayInitialize };
  const value = parseJson(text);
  if (value === undefined) return { kind: 'malformed', reason: 'it is not JSON', mayInitialize };
  const parsed = clientLine.safeParse(value);
  if (!parsed.success)
    return { kind: 'malformed', reason: explain(parsed.error), mayInitialize, ...requestIdOf(value) };
  const line = parsed.data;
  switch (line.type) {
    case 'user': {
      const { content } = line.message;
      const blocks = (
        typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
      ) as UserBlock[];
      const blank = blocks.every((one) => one.type === 'text' && one.text.trim() === '');
      if (blank) return { kind: 'malformed', reason: 'the message is empty' };
      return { kind: 'user', blocks, content, ...(line.uuid === undefined ? {} : { uuid: line.uuid }) };
    }
    case 'control_request':
      return { kind: 'request', line };
    case 'control_response':
      return { kind: 'response', response: line.response };
    case 'keep_alive':
    case 'control_cancel_request':
      return { kind: 'idle' };
    default:
      return line satisfies never;
  }
}

function explain(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it has the wrong shape';
  const where = issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  return `${where}${issue.message}`;
}

/** A request with a readable id gets an answer even if the rest is invalid. */
function requestIdOf(value: unknown): { requestId?: string } {
  const found = z.object({ type: z.literal('control_request'), request_id: z.string() }).safeParse(value);
  return found.success ? { requestId: found.data.request_id } : {};
}

/** The first request of a client: what it wants the session to be, and what it is told of it. */

import type { SessionOptions } from '../../../engine/session-options.js';
import { ALIASES } from '../../../model/models.js';
import type { Answered } from './answer-request.js';
import { type ClientServers, clientServers } from './client-servers.js';
import type { RequestContext, RequestFields } from './requests/request-handler.js';

export type InitializeFields = { readonly options: SessionOptions };

export type Initialize =
  | { readonly ok: true; readonly fields: InitializeFields }
  | { readonly ok: false; readonly reason: string };

export function readInitialize(request: RequestFields, servers: ClientServers): Initialize {
  const unfollowed = NOT_YET.filter((name) => !isEmpty(request[name]));
  if (unfollowed.length > 0)
    return { ok: false, reason: `not yet supported in this version: ${unfollowed.join(', ')}` };
  const asked = clientServers(request, servers);
  if (!asked.ok) return asked;
  const { systemPrompt, appendSystemPrompt } = request;
  return {
    ok: true,
    fields: {
      options: {
        ...(typeof systemPrompt === 'string' ? { systemPrompt } : {}),
        ...(typeof appendSystemPrompt === 'string' ? { appendSystemPrompt } : {}),
        ...(isEmpty(asked.servers) ? {} : { mcpServers: asked.servers }),
      },
    },
  };
}

/** Fields we can't honour yet. They are refused, so that a client never relies on a hook that doesn't run. */
const NOT_YET = ['hooks', 'jsonSchema', 'agents'];

function isEmpty(value: unknown): boolean {
  return value == null || (typeof value === 'object' && Object.keys(value).length === 0);
}

export async function describeSession(
  _: RequestContext,
  _fields: InitializeFields,
  isFirst: boolean,
): Promise<Answered> {
  if (!isFirst) return { error: 'initialize must be the first line' };
  return {
    response: {
      commands: [],
      agents: [],
      output_style: 'default',
      available_output_styles: ['default'],
      models: Object.entries(ALIASES).map(([value, id]) => ({ value, displayName: value, description: id })),
      account: {},
      pid: process.pid,
    },
  };
}

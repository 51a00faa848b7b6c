/** Answers a client's control requests. An expected failure is an answer, never a crash. */

import { reasonOf } from '../../../protocol/reason-of.js';
import type { ControlRequest } from './client-line.js';
import type { RequestContext, RequestHandlers } from './requests/request-handler.js';
import { sessionRequests } from './requests/session-requests.js';

export type Answered = { readonly response: object } | { readonly error: string };

/** Never rejects. */
export async function answerRequest({ request }: ControlRequest, context: RequestContext): Promise<Answered> {
  const handler = (await findHandlers(request.subtype))?.[request.subtype];
  if (handler === undefined) return { error: `request "${request.subtype}" is not supported in this version` };
  try {
    return { response: await handler(request, context) };
  } catch (error) {
    return { error: reasonOf(error) };
  }
}

/** What is seldom asked for is loaded when it is. */
async function findHandlers(subtype: string): Promise<RequestHandlers | undefined> {
  if (Object.hasOwn(sessionRequests, subtype)) return sessionRequests;
  const load = Object.hasOwn(LOADERS, subtype) ? LOADERS[subtype] : undefined;
  return load?.();
}

const loadServers = async () => (await import('./requests/server-requests.js')).serverRequests;

const LOADERS: Readonly<Record<string, () => Promise<RequestHandlers>>> = {
  mcp_message: loadServers,
  mcp_status: loadServers,
  mcp_set_servers: loadServers,
  mcp_reconnect: loadServers,
  mcp_toggle: loadServers,
  mcp_read_resource: loadServers,
  rewind_files: async () => (await import('./requests/file-requests.js')).fileRequests,
};

/** What answers a control request of a client. */

import type { Session } from '../../../sdk/session.js';
import type { SessionView } from '../../../view/session-view.js';
import type { ControlRequest } from '../client-line.js';
import type { ClientRequests } from '../client-requests.js';
import type { ClientServers } from '../client-servers.js';

export type RequestFields = ControlRequest['request'];

export type RequestContext = {
  readonly session: Session;
  /** As its events have made it so far. */
  readonly view: SessionView;
  /** The model it was opened with. */
  readonly startModel: string;
  /** Sends requests to the client. */
  readonly client: ClientRequests;
  /** Those that run in its process. */
  readonly servers: ClientServers;
};

/** Resolves with the response; a refusal is a `RequestRefused`. */
export type RequestHandler = (request: RequestFields, context: RequestContext) => Promise<object>;

export type RequestHandlers = Readonly<Record<string, RequestHandler>>;

/** The client gets its message as the error of its request. */
export class RequestRefused extends Error {}

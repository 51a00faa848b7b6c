/** The handlers of a client's control requests. */

import type { Session } from '../../../sdk/session.js';
import type { SessionView } from '../../../view/session-view.js';
import type { ControlRequest } from '../client-line.js';
import type { ClientRequests } from '../client-requests.js';
import type { ClientServers } from '../client-servers.js';
import type { PromptQueue } from '../prompt-queue.js';

export type RequestFields = ControlRequest['request'];

export type RequestContext = {
  readonly session: Session;
  /** Built from its events so far. */
  readonly view: SessionView;
  /** The model it was opened with. */
  readonly startModel: string;
  /** Sends requests to the client. */
  readonly client: ClientRequests;
  /** Those that run in its process. */
  readonly servers: ClientServers;
  /** Its prompts: the current one, and queued ones. */
  readonly prompts: PromptQueue;
  /** When it was opened, in milliseconds of the monotonic clock. */
  readonly openedAt: number;
};

/** Resolves with the response; a refusal is a `RequestRefused`. */
export type RequestHandler = (request: RequestFields, context: RequestContext) => Promise<object>;

export type RequestHandlers = Readonly<Record<string, RequestHandler>>;

/** The client gets its message as the error of its request. */
export class RequestRefused extends Error {}

/** Answers a client's control requests. An expected failure is an answer, never a crash. */

import { ALIASES } from '../../../model/models.js';
import type { PermissionMode } from '../../../protocol/permission.js';
import type { Session } from '../../sdk/session.js';
import type { ControlRequest } from './client-line.js';

export type Answered = { readonly response: object } | { readonly error: string };

export type RequestContext = {
  readonly session: Session;
  readonly startModel: string;
  /** Whether it was the first line, so the session was opened with its fields. */
  readonly first: boolean;
};

export async function answerRequest({ request }: ControlRequest, context: RequestContext): Promise<Answered> {
  const { session } = context;
  switch (request.subtype) {
    case 'initialize':
      return initialize(request, context.first);
    case 'interrupt':
      session.interrupt();
      return { response: {} };
    case 'set_permission_mode': {
      const mistake = await changeMode(session, request.mode);
      return mistake === undefined ? { response: { mode: session.mode } } : { error: mistake };
    }
    case 'set_model': {
      const { model } = request;
      if (model != null && typeof model !== 'string') return { error: 'set_model: model must be a string' };
      await session.setModel(!model || model === 'default' ? context.startModel : model);
      return { response: { model: session.model } };
    }
    default:
      return { error: `request "${request.subtype}" is not supported in this version` };
  }
}

/** Returns undefined on success. */
export async function changeMode(session: Session, wanted: unknown): Promise<string | undefined> {
  const done = await session.execute({ type: 'set-mode', mode: wanted as PermissionMode });
  return done.ok ? undefined : done.reason;
}

/** Fields we can't honour yet. They are refused, so that a client never relies on a hook that doesn't run. */
const NOT_YET = ['hooks', 'sdkMcpServers', 'jsonSchema', 'agents'];

function initialize(request: ControlRequest['request'], first: boolean): Answered {
  if (!first) return { error: 'initialize must be the first line' };
  const unfollowed = NOT_YET.filter((name) => !isEmpty(request[name]));
  if (unfollowed.length > 0) return { error: `not yet supported in this version: ${unfollowed.join(', ')}` };
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

function isEmpty(value: unknown): boolean {
  return value == null || (typeof value === 'object' && Object.keys(value).length === 0);
}

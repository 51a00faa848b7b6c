/** Requests about the session as a whole: interrupt it, switch its mode or model. */

import type { PermissionMode } from '../../../../protocol/permission.js';
import type { Session } from '../../../sdk/session.js';
import { optionalFlagIn } from './read-fields.js';
import { type RequestHandlers, RequestRefused } from './request-handler.js';

export const sessionRequests: RequestHandlers = {
  interrupt: async (request, { prompts }) => {
    const dropsQueued = optionalFlagIn(request, 'cancel_queued');
    // Dropped first: the next one would start as soon as the work ends.
    const cancelled = dropsQueued ? { cancelled: prompts.cancelAll() } : {};
    prompts.interrupt();
    return { still_queued: prompts.waiting, ...cancelled };
  },
  set_permission_mode: async ({ mode }, { session }) => {
    const mistake = await changeMode(session, mode);
    if (mistake !== undefined) throw new RequestRefused(mistake);
    return { mode: session.mode };
  },
  set_model: async ({ model }, { session, startModel }) => {
    if (model != null && typeof model !== 'string') throw new RequestRefused('set_model: model must be a string');
    await session.setModel(!model || model === 'default' ? startModel : model);
    return { model: session.model };
  },
};

/** Returns undefined on success. */
export async function changeMode(session: Session, wanted: unknown): Promise<string | undefined> {
  const done = await session.execute({ type: 'set-mode', mode: wanted as PermissionMode });
  return done.ok ? undefined : done.reason;
}

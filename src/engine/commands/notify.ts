/** Runs the `Notification` hooks: a client has notified you while you were looking elsewhere. */

import { showHooks } from '../../gate/hooks/hooks.js';
import type { CommandOf } from '../../protocol/commands.js';
import { type LiveEvent, MAIN_AGENT } from '../../protocol/events.js';
import type { Engine } from '../engine.js';
import type { Done } from './command-results.js';

export async function notify(engine: Engine, { message, title, about }: CommandOf<'notify'>): Promise<Done> {
  const { runtime, calls } = engine;
  const hooks = runtime.agents.get(MAIN_AGENT)?.hooks ?? runtime.hooks;
  if (!hooks.has('Notification')) return { ok: true };
  const fields = { message, notification_type: about, ...(title === undefined ? {} : { title }) };
  const emit = async (event: LiveEvent) => runtime.listeners.notify({ agent: MAIN_AGENT, seq: undefined, event });
  // It ends with the session, not with a turn, which has ended or waits.
  await calls.run(
    `notify ${runtime.host.newId()}`,
    async (signal) => showHooks({ agent: { emit } }, await hooks.run('Notification', fields, { signal })),
    { concurrent: true },
  );
  return { ok: true };
}

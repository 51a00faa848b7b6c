/** `! command`: a shell line of the person's own. Its output is in the history, and the model sees it with the next turn. */

import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import type { Conversation } from './conversation.js';

export async function runShellLine({ session, teller }: Conversation, command: string): Promise<void> {
  if (command === '') return;
  const done = await session.execute({ type: 'shell', command });
  if (!done.ok) teller.say('error', stripUnsafe(done.reason));
}

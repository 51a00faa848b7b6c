/** `!` and a line for the shell, `#` and a line to be kept. */

import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import { runOwnLine } from '../../commands/conversation/own-lines.js';
import type { Conversation } from '../app/conversation.js';
import { contextOf } from './command-context-of.js';

/** What a shell line prints stands in the history as the call that it is; the model sees it with the next turn. */
export async function runOwn(conversation: Conversation, line: string): Promise<void> {
  const { ui, session, teller, pending, host } = conversation;
  if (!line.trimStart().startsWith('!')) return runOwnLine(line, contextOf(conversation));
  const command = line.trim().slice(1).trim();
  const call = `typed-${host.newShortId()}`;
  pending.shells.set(call, command);
  ui.paint();
  const ran = await session.execute({ type: 'shell', call, command });
  pending.shells.delete(call);
  ui.paint();
  if (!ran.ok) teller.say('error', stripUnsafe(`It was not run: ${ran.reason}`));
}

/** Ends the shell line that was begun last. False: none runs. */
export function endShellLine({ pending, session }: Conversation): boolean {
  const call = [...pending.shells.keys()].at(-1);
  if (call === undefined) return false;
  void session.execute({ type: 'cancel-call', call });
  return true;
}

/** `!` runs a shell command, `#` saves a note. */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { runShellOrNoteLine } from '../../commands/conversation/shell-and-note-lines.js';
import type { Conversation } from '../app/conversation.js';
import { contextOf } from './command-context-of.js';

/** The output of a shell command appears in the history as a call; the model sees it with the next turn. */
export async function runShellOrNote(conversation: Conversation, line: string): Promise<void> {
  const { ui, session, printer, pending, host } = conversation;
  if (!line.trimStart().startsWith('!')) return runShellOrNoteLine(line, contextOf(conversation));
  const command = line.trim().slice(1).trim();
  const call = `typed-${host.newShortId()}`;
  pending.shells.set(call, command);
  ui.paint();
  const ran = await session.execute({ type: 'shell', call, command });
  pending.shells.delete(call);
  ui.paint();
  if (!ran.ok) printer.say('error', stripControls(`Not run: ${ran.reason}`));
}

/** Ends the last shell command that is running. False: there is none. */
export function endShellLine({ pending, session }: Conversation): boolean {
  const call = [...pending.shells.keys()].at(-1);
  if (call === undefined) return false;
  void session.execute({ type: 'cancel-call', call });
  return true;
}

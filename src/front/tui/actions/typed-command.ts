/** Runs what was typed as `/name words`: with a page where that shows more, as lines otherwise; or as a prompt (TU-21). */

import { commandIn, runCommand } from '../../commands/commands.js';
import { isCommand } from '../../commands/is-command.js';
import { type Conversation, isWorking } from '../app/conversation.js';
import { commandPage } from '../open/command-pages.js';
import { contextOf } from './command-context-of.js';
import { sendPrompt, type When } from './send-prompt.js';

export async function runTyped(conversation: Conversation, line: string, when: When): Promise<void> {
  const { pending } = conversation;
  const command = isCommand(line) ? commandIn(line) : undefined;
  // A skill, a command of the person's, a server's prompt, or a name that nobody has: the session says so, and sends nothing.
  if (command === undefined) return sendPrompt(conversation, line, when);
  if (command.while === 'idle' && isWorking(conversation)) return pending.commands.add(line);
  const argument = line.trim().replace(/^\/\S+\s*/, '');
  const page = commandPage(command.name, argument);
  if (page !== undefined) return page(conversation, argument);
  await runCommand(line, contextOf(conversation));
}

/** At the end of a turn: those that waited for it, in their order. */
export async function runWaiting(conversation: Conversation): Promise<void> {
  const { pending } = conversation;
  while (!isWorking(conversation)) {
    const line = pending.commands.take(0);
    if (line === undefined) return;
    await runTyped(conversation, line, 'next');
  }
}

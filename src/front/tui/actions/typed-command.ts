/** Runs a typed `/name arguments`: on a page if that shows more, as lines otherwise; or as a prompt (TU-21). */

import { commandIn } from '../../commands/commands.js';
import { isCommand } from '../../commands/is-command.js';
import { type Conversation, isWorking } from '../app/conversation.js';
import { contextOf } from './command-context-of.js';
import { sendPrompt, type When } from './send-prompt.js';

export async function runTyped(conversation: Conversation, line: string, when: When): Promise<void> {
  const { pending } = conversation;
  const command = isCommand(line) ? commandIn(line) : undefined;
  // A skill, a user command, a server's prompt, or an unknown name: the session reports that, and sends nothing.
  if (command === undefined) return sendPrompt(conversation, line, when);
  if (command.whenIdle && isWorking(conversation)) return void pending.commands.push(line);
  const { argument } = command;
  const open = command.argumentPage ?? (argument === '' ? command.page : undefined);
  if (open !== undefined) return open(conversation, argument);
  await command.run(contextOf(conversation), argument);
}

/** At the end of a turn, runs the commands that waited for it, in order. */
export async function runQueuedCommands(conversation: Conversation): Promise<void> {
  const { pending } = conversation;
  while (!isWorking(conversation)) {
    const line = pending.commands.shift();
    if (line === undefined) return;
    await runTyped(conversation, line, 'next');
  }
}

/** Runs commands, shell and note lines in a line-based session: at once, or when the turn ends. */

import type { CommandContext } from '../../commands/command-context.js';
import { commandIn } from '../../commands/commands.js';
import { isShellOrNote } from '../../commands/is-command.js';

export type Meanwhile = { readonly later: string[]; isWorking(): boolean };

export async function runTyped(line: string, context: CommandContext, { later, isWorking }: Meanwhile): Promise<void> {
  if (isShellOrNote(line)) {
    const { runShellOrNoteLine } = await import('../../commands/conversation/shell-and-note-lines.js');
    return runShellOrNoteLine(line.trim(), context);
  }
  const command = commandIn(line);
  if (command?.whenIdle && isWorking()) {
    later.push(line.trim());
    return context.say(`(/${command.name} is queued until the turn ends; /queue lists the queue)`);
  }
  await command?.run(context, command.argument);
}

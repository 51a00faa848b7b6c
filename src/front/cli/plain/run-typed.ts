/** What a person types for themselves in a line-based session: done at once, or when the turn is over. */

import type { CommandContext } from '../../commands/command-context.js';
import { commandIn, runCommand } from '../../commands/commands.js';
import { isShellOrNote } from '../../commands/is-command.js';
import type { LaterCommands } from '../../commands/later-commands.js';

export type Meanwhile = { readonly later: LaterCommands; isWorking(): boolean };

export async function runTyped(line: string, context: CommandContext, { later, isWorking }: Meanwhile): Promise<void> {
  if (isShellOrNote(line)) {
    const { runShellOrNoteLine } = await import('../../commands/conversation/shell-and-note-lines.js');
    return runShellOrNoteLine(line.trim(), context);
  }
  if (commandIn(line)?.while === 'idle' && isWorking()) {
    later.add(line.trim());
    return context.say(`(/${commandIn(line)?.name} waits for the end of the turn; /queue lists what waits)`);
  }
  await runCommand(line, context);
}

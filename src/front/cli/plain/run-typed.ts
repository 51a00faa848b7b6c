/** What a person types for themselves in a line-based session: done at once, or when the turn is over. */

import type { CommandContext } from '../../commands/command-context.js';
import { commandIn, runCommand } from '../../commands/commands.js';
import { isOwnLine } from '../../commands/is-command.js';
import type { LaterCommands } from '../../commands/later-commands.js';

export type Meanwhile = { readonly later: LaterCommands; isWorking(): boolean };

export async function runTyped(line: string, context: CommandContext, { later, isWorking }: Meanwhile): Promise<void> {
  if (isOwnLine(line)) {
    const { runOwnLine } = await import('../../commands/conversation/own-lines.js');
    return runOwnLine(line.trim(), context);
  }
  if (commandIn(line)?.while === 'idle' && isWorking()) {
    later.add(line.trim());
    return context.say(`(/${commandIn(line)?.name} waits for the end of the turn; /queue lists what waits)`);
  }
  await runCommand(line, context);
}

/** `/help`: the commands, how lines are read, and the skills that can be typed. */

import type { CommandContext } from './command-context.js';
import { sayTypable } from './extensions/skills-command.js';

type ListedCommand = { readonly name: string; readonly takes?: string; readonly help: string };

export async function showHelp(context: CommandContext, commands: readonly ListedCommand[]): Promise<void> {
  context.say(helpText(commands));
  await sayTypable(context);
}

function helpText(commands: readonly ListedCommand[]): string {
  const rows = commands.map(({ name, takes, help }) => {
    return { use: `/${name}${takes === undefined ? '' : ` ${takes}`}`, help };
  });
  const width = Math.min(WIDEST, Math.max(...rows.map(({ use }) => use.length)));
  return [
    ...rows.map(({ use, help }) => `  ${use.padEnd(width)}  ${help}`),
    'A file or folder named as @path is attached: @src/a.ts, @src/a.ts#L10-20, @"my notes.md".',
    '!COMMAND runs a command of the shell, for you and the agent to see; #TEXT keeps a line in CLAUDE.md or memory.',
    'End a line with \\ to continue it on the next. What you type while the agent works reaches it at its next step.',
    'When a question comes while you type, your line waits until it is answered. Commands work there, too.',
    'Ctrl+C interrupts the work; Ctrl+B moves agents that are waited for to the background; Ctrl+Z stops the program.',
  ].join('\n');
}

/** Longer ones push their own line only. */
const WIDEST = 40;

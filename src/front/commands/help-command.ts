/** `/help`: the commands, the input syntax, and the skills that can be typed. */

import type { CommandContext } from './command-context.js';
import { printTypable } from './extensions/skills-command.js';

type ListedCommand = { readonly name: string; readonly takes?: string; readonly help: string };

export async function showHelp(context: CommandContext, commands: readonly ListedCommand[]): Promise<void> {
  context.say(helpText(commands));
  await printTypable(context);
}

function helpText(commands: readonly ListedCommand[]): string {
  const rows = commands.map(({ name, takes, help }) => {
    return { use: `/${name}${takes === undefined ? '' : ` ${takes}`}`, help };
  });
  const width = Math.min(WIDEST, Math.max(...rows.map(({ use }) => use.length)));
  return [
    ...rows.map(({ use, help }) => `  ${use.padEnd(width)}  ${help}`),
    'Attach a file or folder with @path: @src/a.ts, @src/a.ts#L10-20, @"my notes.md".',
    '!COMMAND runs a shell command that you and the agent see; #TEXT saves a line to CLAUDE.md or memory.',
    'End a line with \\ to continue it on the next. Messages sent while the agent is running reach it at its next step.',
    'If a question appears while you type, your line waits until you have answered. Commands work there, too.',
    'Ctrl+C interrupts; Ctrl+B moves running agents and commands to the background; Ctrl+Z suspends the program.',
  ].join('\n');
}

/** Longer usages shift only their own line. */
const WIDEST = 40;

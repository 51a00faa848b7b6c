/** The subcommands of `coppice skills` and `coppice commands`, with their help. What they do is loaded when one runs. */

import type { Command } from 'commander';

type Extended = { readonly skills: Command; readonly commands: Command };

export function addExtensionCommands({ skills, commands }: Extended, setExit: (code: number) => void): void {
  const addList = (parent: Command, description: string, example: string) =>
    parent
      .command('list')
      .description(description)
      .option('--json', 'as JSON')
      .option('--trust', 'as if the folder were trusted')
      .addHelpText('after', `\nExample:\n  ${example}`)
      .exitOverride();
  addList(
    skills,
    'every skill with its file, who may use it, what it shadows, and what is wrong with it',
    'coppice skills list --json',
  ).action(async (options) => setExit(await (await import('./list-skills.js')).runSkillsList('skill', options)));
  addList(
    commands,
    'every command of .claude/commands with its file, who may use it, and what is wrong with it',
    'coppice commands list --json',
  ).action(async (options) => setExit(await (await import('./list-skills.js')).runSkillsList('command', options)));
}

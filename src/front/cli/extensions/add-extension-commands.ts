/** The subcommands of `coppice skills` and `coppice commands`, with their help. The code is loaded when one runs. */

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
    'list skills: file, who may use each, what it overrides, problems',
    'coppice skills list --json',
  ).action(async (options) => setExit(await (await import('./list-skills.js')).runSkillsList('skill', options)));
  addList(
    commands,
    'list the commands of .claude/commands: file, who may use each, problems',
    'coppice commands list --json',
  ).action(async (options) => setExit(await (await import('./list-skills.js')).runSkillsList('command', options)));
}

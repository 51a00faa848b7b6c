/** The subcommands of `coppice plugins`, with their help. What they do is loaded when one runs. */

import type { Command } from 'commander';

export function addPluginCommands(plugins: Command, setExit: (code: number) => void): void {
  const add = (use: string, description: string, example: string) =>
    plugins
      .command(use)
      .description(description)
      .addHelpText('after', `\nExample:\n  ${example}`)
      .exitOverride()
      .option('--plugin-dir <folder>', 'as if the session had this plugin; may be given several times', collect)
      .option('--json', 'as JSON');
  add(
    'list',
    'every plugin, where it is named, what it has and what of that acts by itself',
    'coppice plugins list --json',
  ).action(async (options) => setExit(await (await import('./list-plugins.js')).runPluginsList(options)));
  add(
    'approve [names...]',
    'show what plugins do by themselves and approve them as they are now; without a name, show those that wait',
    'coppice plugins approve formatter',
  ).action(async (names, options) =>
    setExit(await (await import('./approve-plugins.js')).runPluginsApprove(names, options)),
  );
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The subcommands of `coppice plugins`, with their help. The code is loaded when one runs. */

import type { Command } from 'commander';
import { collect } from '../flag-values.js';

export function addPluginCommands(plugins: Command, setExit: (code: number) => void): void {
  const add = (use: string, description: string, example: string) =>
    plugins
      .command(use)
      .description(description)
      .addHelpText('after', `\nExample:\n  ${example}`)
      .exitOverride()
      .option('--plugin-dir <folder>', 'as if the session had this plugin; repeatable', collect)
      .option('--json', 'as JSON');
  add('list', 'list plugins: source, contents, and what runs automatically', 'coppice plugins list --json').action(
    async (options) => setExit(await (await import('./list-plugins.js')).runPluginsList(options)),
  );
  add(
    'approve [names...]',
    'show what plugins run automatically and approve them in their current form; without a name, show those waiting',
    'coppice plugins approve formatter',
  ).action(async (names, options) =>
    setExit(await (await import('./approve-plugins.js')).runPluginsApprove(names, options)),
  );
}

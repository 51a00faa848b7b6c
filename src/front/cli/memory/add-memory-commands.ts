/** The subcommands of `coppice memory`, with their help. The code is loaded when one runs. */

import { type Command, Option } from 'commander';
import { MEMORY_SCOPES } from '../../../protocol/agent-spawned.js';

export function addMemoryCommands(memory: Command, setExit: (code: number) => void): void {
  const load = () => import('./run-memory.js');
  const add = (use: string, description: string, example: string) =>
    memory
      .command(use)
      .description(description)
      .option('--json', 'as JSON')
      .option('--trust', 'as if the folder were trusted')
      .addHelpText('after', `\nExample:\n  ${example}`)
      .exitOverride();
  const addNamed = (use: string, description: string, example: string) =>
    add(use, description, example).addOption(
      new Option('--scope <scope>', 'which memory, if the name is ambiguous').choices(MEMORY_SCOPES),
    );

  add(
    'list',
    'list agents with memory: scope, folder, files, size, difference to the team’s snapshot',
    'coppice memory list --json',
  ).action(async (options) => setExit(await (await load()).runMemoryList(options)));
  addNamed(
    'show <agent> [file]',
    'print its MEMORY.md, or another file; with --json all files',
    'coppice memory show reviewer parser.md',
  ).action(async (name, file, options) => setExit(await (await load()).runMemoryShow(name, file, options)));
  addNamed(
    'diff <agent>',
    'show the differences between yours and the team’s snapshot',
    'coppice memory diff reviewer',
  ).action(async (name, options) => setExit(await (await load()).runMemoryDiff(name, options)));
  addNamed(
    'take <agent>',
    'replace yours with the team’s snapshot; yours is saved as a backup',
    'coppice memory take reviewer',
  ).action(async (name, options) => setExit(await (await load()).runMemoryChange('take', name, options)));
  addNamed('merge <agent>', 'merge changes of the team’s snapshot into yours', 'coppice memory merge reviewer').action(
    async (name, options) => setExit(await (await load()).runMemoryChange('merge', name, options)),
  );
  addNamed('publish <agent>', 'make yours the team’s snapshot, ready to commit', 'coppice memory publish reviewer')
    .option('--force', 'even over a snapshot that you have neither taken nor declined')
    .action(async (name, options) => setExit(await (await load()).runMemoryChange('publish', name, options)));
  addNamed(
    'decline <agent>',
    'keep yours; this snapshot is not offered again',
    'coppice memory decline reviewer',
  ).action(async (name, options) => setExit(await (await load()).runMemoryChange('decline', name, options)));
  addNamed(
    'rollback <agent> [backup]',
    'restore a backup: the newest, or the one you name',
    'coppice memory rollback reviewer --list',
  )
    .option('--list', 'list the backups instead')
    .action(async (name, backup, options) => setExit(await (await load()).runMemoryRollBack(name, backup, options)));
}

/** The flags and the help of `coppice acp`. What it does is loaded when it runs. */

import { type Command, Option } from 'commander';
import { PERMISSION_MODES } from '../../../protocol/permission.js';

export function addAcpFlags(acp: Command, setExit: (code: number) => void): void {
  acp
    .addOption(
      new Option('--permission-mode <mode>', 'the mode that sessions begin in').choices(
        PERMISSION_MODES.filter((mode) => mode !== 'bubble'),
      ),
    )
    .option('--allowedTools <rules...>', 'rules to allow, such as "Bash(npm test:*)" Edit')
    .option('--disallowedTools <rules...>', 'rules to deny')
    .option('--add-dir <folders...>', 'further folders to work in')
    .option('--model <model>', 'the model: alias (opus, sonnet, haiku, fable) or full id')
    .option('--agent <name>', 'run sessions as this agent')
    .option('--settings <file-or-json>', 'more settings; they override those of the files')
    .option('--mcp-config <file-or-json...>', 'MCP servers beside those of the files and the editor')
    .option('--strict-mcp-config', 'no MCP servers but those of --mcp-config and the editor')
    .option('--trust', 'trust the folders that the editor opens: use their settings, hooks and servers')
    .action(async (flags) => setExit(await (await import('./run-acp.js')).runAcp(flags)));
}

/** `coppice mcp serve`, with its flags and help. What it does is loaded when it runs. */

import { type Command, Option } from 'commander';
import { PERMISSION_MODES } from '../../../protocol/permission.js';
import { toolNames } from '../flag-values.js';

export function addServeCommand(mcp: Command, setExit: (code: number) => void): void {
  mcp
    .command('serve')
    .description('offer the tools of coppice, agents included, to another program as an MCP server on stdin and stdout')
    .addOption(
      new Option('--permission-mode <mode>', 'what may happen; what would ask is denied').choices(
        PERMISSION_MODES.filter((mode) => mode !== 'bubble'),
      ),
    )
    .option('--allowedTools <rules...>', 'rules to allow, such as "Bash(npm test:*)" Edit')
    .option('--disallowedTools <rules...>', 'rules to deny')
    .option('--tools <names>', 'only these built-in tools, for agents too: Read,Edit; "" for none', toolNames)
    .option('--add-dir <folders...>', 'further folders to work in')
    .option('--model <model>', 'the model of agents: alias (opus, sonnet, haiku, fable) or full id')
    .option('--agent <name>', 'offer the tools of this agent, as its definition limits them')
    .option('--settings <file-or-json>', 'more settings; they override those of the files')
    .option('--mcp-config <file-or-json...>', 'MCP servers beside those of the files')
    .option('--strict-mcp-config', 'no MCP servers but those of --mcp-config')
    .option('--trust', 'trust this folder for this session: use its settings, hooks and servers')
    .addHelpText('after', '\nExample:\n  claude mcp add coppice -- coppice mcp serve --permission-mode acceptEdits')
    .exitOverride()
    .action(async (flags) => setExit(await (await import('./run-serve.js')).runServe(flags)));
}

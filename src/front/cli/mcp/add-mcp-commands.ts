/** The subcommands of `coppice mcp`, with their help. The code is loaded when one runs. */

import { type Command, Option } from 'commander';
import { PERMISSION_MODES } from '../../../protocol/permission.js';
import { collect, toolNames } from '../flag-values.js';

/** Repeats config/mcp/edit-servers, to keep that module out of the start-up path. */
const SCOPES = ['local', 'user', 'project'] as const;

export function addMcpCommands(mcp: Command, setExit: (code: number) => void): void {
  const add = (use: string, description: string, example: string) =>
    mcp.command(use).description(description).addHelpText('after', `\nExample:\n  ${example}`).exitOverride();
  const list = () => import('./list-servers.js');
  const edit = () => import('./edit-servers.js');

  add('list', 'list MCP servers: source, and whether each may run; starts none', 'coppice mcp list --json')
    .option('--json', 'as JSON')
    .action(async (options) => setExit(await (await list()).runMcpList(options)));
  add('get <name>', 'show a server: its entry, without secrets, and its status', 'coppice mcp get github')
    .option('--json', 'as JSON')
    .action(async (name, options) => setExit(await (await list()).runMcpGet(name, options)));
  add(
    'add <name> <command-or-url> [args...]',
    'add a server; its command follows --',
    [
      'coppice mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
      `coppice mcp add -s user -t http docs https://mcp.example.com/mcp -H 'Authorization: Bearer \${DOCS_TOKEN}'`,
    ].join('\n  '),
  )
    .addOption(scopeOption('local').default('local'))
    .addOption(new Option('-t, --transport <type>', 'transport of the server').choices(['stdio', 'http', 'sse']))
    .option('-e, --env <KEY=value>', 'an environment variable; repeatable', collect)
    .option('-H, --header <header>', 'a header ("Name: value"); repeatable', collect)
    .option('--json', 'as JSON')
    .configureOutput({
      // Flags of the server's command look like unknown flags of this program.
      outputError: (text, write) => write(/unknown option/.test(text) ? `${text}${DASHES}\n` : text),
    })
    .action(async (name, target, args, options) =>
      setExit(await (await edit()).runMcpAdd(name, target, args, options)),
    );
  add(
    'add-json <name> <json>',
    'add a server by its JSON entry',
    'coppice mcp add-json docs \'{"type": "http", "url": "https://mcp.example.com/mcp"}\'',
  )
    .addOption(scopeOption('local').default('local'))
    .option('--json', 'as JSON')
    .action(async (name, json, options) => setExit(await (await edit()).runMcpAddJson(name, json, options)));
  add('test [name]', 'connect to one server, or to all that may run: status and tools', 'coppice mcp test github')
    .option('--json', 'as JSON')
    .option('--trust', 'as if the folder were trusted, and its servers approved')
    .action(async (name, options) => setExit(await (await import('./test-servers.js')).runMcpTest(name, options)));
  add('remove <name>', 'remove a server from its file', 'coppice mcp remove docs -s user')
    .addOption(scopeOption('the only one that has it'))
    .option('--json', 'as JSON')
    .action(async (name, options) => setExit(await (await edit()).runMcpRemove(name, options)));
  add(
    'approve [names...]',
    'show servers of this project and approve them in their current form; without a name, show those waiting',
    'coppice mcp approve github',
  )
    .option('--all', 'approve all that are waiting')
    .option('--json', 'as JSON')
    .action(async (names, options) =>
      setExit(await (await import('./approve-servers.js')).runMcpApprove(names, options)),
    );
  addLoginCommands(mcp, setExit);
  addServeCommand(mcp, setExit);
}

const DASHES = 'Put -- before the command of a server: coppice mcp add NAME -- COMMAND --flag';

function scopeOption(otherwise: string): Option {
  return new Option(
    '-s, --scope <scope>',
    `local: you, in this project; user: you, everywhere; project: everyone in it (default: ${otherwise})`,
  ).choices(SCOPES);
}

/** `coppice mcp login` and `logout`, with their help. The code is loaded when one runs. */
function addLoginCommands(mcp: Command, setExit: (code: number) => void): void {
  const load = () => import('./run-login.js');
  const add = (use: string, description: string, example: string) =>
    mcp.command(use).description(description).addHelpText('after', `\nExample:\n  ${example}`).exitOverride();

  add('login <name>', 'sign in to a remote server, in the browser', 'coppice mcp login sentry --no-browser')
    .option('--no-browser', 'print the URL instead of opening it; you can paste the URL you end up at')
    .option('--trust', 'as if the folder were trusted')
    .action(async (name, options) => setExit(await (await load()).runMcpLogin(name, options)));
  add('logout <name>', 'sign out of a remote server, and delete its tokens', 'coppice mcp logout sentry')
    .option('--trust', 'as if the folder were trusted')
    .action(async (name, options) => setExit(await (await load()).runMcpLogout(name, options)));
}

/** `coppice mcp serve`, with its flags and help. The code is loaded when it runs. */
function addServeCommand(mcp: Command, setExit: (code: number) => void): void {
  mcp
    .command('serve')
    .description(
      'run as an MCP server on stdin and stdout: offers the tools of coppice, agents included, to another program',
    )
    .addOption(
      new Option('--permission-mode <mode>', 'what may run; what would ask is denied').choices(
        PERMISSION_MODES.filter((mode) => mode !== 'bubble'),
      ),
    )
    .option('--allowedTools <rules...>', 'rules to allow, such as "Bash(npm test:*)" Edit')
    .option('--disallowedTools <rules...>', 'rules to deny')
    .option('--tools <names>', 'only these built-in tools, for agents too: Read,Edit; "" for none', toolNames)
    .option('--add-dir <folders...>', 'additional folders to work in')
    .option('--model <model>', 'model of agents: alias (opus, sonnet, haiku, fable) or full id')
    .option('--agent <name>', 'offer the tools of this agent, as its definition limits them')
    .option('--settings <file-or-json>', 'additional settings; they override the settings files')
    .option('--mcp-config <file-or-json...>', 'additional MCP servers')
    .option('--strict-mcp-config', 'use only the MCP servers of --mcp-config')
    .option('--trust', 'trust this folder for this session: use its settings, hooks and servers')
    .addHelpText('after', '\nExample:\n  claude mcp add coppice -- coppice mcp serve --permission-mode acceptEdits')
    .exitOverride()
    .action(async (flags) => setExit(await (await import('./run-serve.js')).runServe(flags)));
}

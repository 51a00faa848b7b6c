/** Parses the arguments, runs the command, reports errors and sets the exit code. */

import { Command, CommanderError, Option } from 'commander';
import { refuseHome } from '../../config/paths.js';
import { VERSION } from '../../config/version.js';
import { escapeControls } from '../../protocol/escape-controls.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { EXIT } from './exit-code.js';
import { collect, NotYetError } from './flag-values.js';
import { addFlags, type Flags } from './flags.js';
import { leaveOnLostOutput } from './lost-output.js';

export async function runProgram(args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done;
  const program = await buildProgram(args, (code) => {
    exitCode = code;
  });
  process.stdout.on('error', leaveOnLostOutput);
  process.stderr.on('error', () => {});
  try {
    if (isFolderGone()) {
      process.stderr.write('error: the current folder no longer exists. Change to another folder and try again.\n');
      return EXIT.usage;
    }
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return explainFailure(error, args.includes('--debug'));
  }
}

/** A shell can be in a folder that was removed. */
function isFolderGone(): boolean {
  try {
    process.cwd();
    return false;
  } catch {
    return true;
  }
}

async function buildProgram(args: readonly string[], setExit: (code: number) => void): Promise<Command> {
  const program = addFlags(new Command('coppice'))
    .description('A coding agent for the terminal whose agents delegate.')
    .argument('[prompt]', 'what to do')
    .usage('[options] [prompt]')
    // Alone it is handled before anything is loaded (main.ts); this adds it to the help.
    .version(`${VERSION} (coppice)`, '-v, --version', 'print the version')
    .addHelpText('after', HELP_END)
    .showSuggestionAfterError()
    .enablePositionalOptions()
    .helpCommand('help [command]', 'show help for a command')
    .exitOverride()
    .hook('preAction', (_, command) => {
      const reason = HOMELESS_COMMANDS.has(command.name()) ? undefined : refuseHome(process.env);
      if (reason !== undefined) throw new NoHomeError(reason);
    })
    .action(async (prompt: string | undefined, flags: Flags) => {
      const { runMain } = await import('./run-main.js');
      setExit(await runMain(prompt, flags));
    });
  const subcommand = (name: string, description: string, example: string) =>
    program.command(name).description(description).addHelpText('after', `\nExample:\n  ${example}`).exitOverride();

  subcommand('sim', 'start the simulated model', 'coppice sim --port 4010 --scenario tour')
    .option('--scenario <file-or-name>', 'scenario file (YAML or JSON), or the name of a built-in one', 'hello')
    .option('--port <n>', 'port to listen on; 0 for any free one', Number, 0)
    .option('--ttft <ms>', 'time to the first token', Number, 0)
    .option('--key <key>', 'accept only this API key')
    .option('--list', 'list the built-in scenarios')
    .option('--record <file>', 'forward requests to a real server and save the traffic, without keys')
    .option('--to <url>', 'with --record: the real server', 'https://api.anthropic.com')
    .option('--replay <file>', 'replay recorded traffic; fails on the first request that differs')
    .action(async (options) => setExit(await (await import('./commands/sim.js')).runSim(options)));
  subcommand('demo', 'run a whole session against the simulated model; no key needed', 'coppice demo')
    .option('--keep', 'keep the temporary repository')
    .option('--play', 'in the real terminal: prompts are typed automatically, and you may answer the question')
    .addOption(new Option('--scene <name>', 'what --play starts').choices(['first', 'second']).hideHelp())
    .addHelpText('after', DEMO_HELP)
    .action(async (options) => setExit(await (await import('./demo/demo.js')).runDemo(options)));
  subcommand('doctor', 'check the environment: programs, key, terminal, settings', 'coppice doctor --json')
    .option('--json', 'as JSON')
    .action(async (options) => setExit(await (await import('./commands/doctor.js')).runDoctor(options)));
  subcommand('config', 'show every effective setting and its file', 'coppice config --json')
    .option('--json', 'as JSON')
    .option('--trust', 'as if the folder were trusted')
    .action(async (options) => setExit(await (await import('./commands/config.js')).runConfig(options)));
  subcommand('trust', 'trust the project of this folder, from the next session on', 'coppice trust --remove')
    .option('--remove', 'stop trusting it, and revoke its approved hooks, servers and plugins')
    .action(async (options) => setExit(await (await import('./commands/trust.js')).runTrust(options)));
  const sessions = subcommand('sessions', 'list, show and delete sessions', 'coppice sessions show 0199')
    .option('--json', 'as JSON')
    .option('--all', 'list the sessions of all folders')
    .action(async (options) => setExit(await (await import('./commands/sessions.js')).runSessionsList(options)));
  sessions
    .command('show <id>')
    .description('show a session: records, agents, damage, what resuming would repair')
    .option('--json', 'as JSON')
    .exitOverride()
    .action(async (id, options) =>
      setExit(await (await import('./commands/sessions.js')).runSessionsShow(id, options)),
    );
  sessions
    .command('delete <id>')
    .description('delete a session and all its files; refused while it is open')
    .exitOverride()
    .action(async (id) => setExit(await (await import('./commands/sessions.js')).runSessionsDelete(id)));
  subcommand('agents', 'list agent definitions: file, what each overrides, problems', 'coppice agents --json')
    .option('--json', 'as JSON')
    .option('--dir <folder>', 'only the agent files of this folder')
    .option('--trust', 'as if the folder were trusted')
    .action(async (options) => setExit(await (await import('./commands/agents.js')).runAgents(options)));
  subcommand('cache', 'show what each request of a session read from the cache', 'coppice cache latest')
    .argument('<session>', 'an id, an id prefix, or latest')
    .option('--json', 'as JSON')
    .action(async (session, options) =>
      setExit(await (await import('./commands/cache.js')).runCache(session, options)),
    );
  const worktree = subcommand(
    'worktree',
    'list, show, apply and remove worktrees of agents and sessions',
    'coppice worktree list',
  );
  const ofWorktree = (use: string, description: string, example: string) =>
    worktree.command(use).description(description).addHelpText('after', `\nExample:\n  ${example}`).exitOverride();
  const runWorktree = () => import('./commands/worktree.js');
  ofWorktree('list', 'list worktrees: branch, commits, changed files, owner, age', 'coppice worktree list --json')
    .option('--json', 'as JSON')
    .action(async (options) => setExit(await (await runWorktree()).runWorktreeList(options)));
  ofWorktree(
    'diff <name>',
    'show its changes: commits, uncommitted changes and new files',
    'coppice worktree diff agent-1a2b3c4d --stat',
  )
    .option('--stat', 'show a diffstat')
    .option('--json', 'as JSON')
    .action(async (name, options) => setExit(await (await runWorktree()).runWorktreeDiff(name, options)));
  ofWorktree(
    'apply <name>',
    'merge its changes into this checkout, unstaged; on a conflict nothing is changed',
    'coppice worktree apply agent-1a2b3c4d',
  )
    .option('--json', 'as JSON')
    .action(async (name, options) => setExit(await (await runWorktree()).runWorktreeApply(name, options)));
  ofWorktree(
    'remove <name>',
    'remove it; refused while it has changes',
    'coppice worktree remove agent-1a2b3c4d --discard',
  )
    .option('--discard', 'discard its changes')
    .option('--json', 'as JSON')
    .action(async (name, options) => setExit(await (await runWorktree()).runWorktreeRemove(name, options)));
  const memory = subcommand(
    'memory',
    'agent memory: list, show, exchange with team snapshots, roll back',
    'coppice memory list',
  );
  // Describing all subcommands takes longer than the start; a prompt that contains the word merely pays for that.
  if (args.includes('memory')) (await import('./memory/add-memory-commands.js')).addMemoryCommands(memory, setExit);
  const mcp = subcommand('mcp', 'MCP servers: add, approve, test, sign in, or run as one (serve)', 'coppice mcp list');
  if (args.includes('mcp')) (await import('./mcp/add-mcp-commands.js')).addMcpCommands(mcp, setExit);
  const acp = subcommand(
    'acp',
    'serve an editor over the Agent Client Protocol on stdin and stdout (docs/editors.md)',
    `{ "agent_servers": { "Coppice": { "type": "custom", "command": "coppice", "args": ["acp"] } } }  (Zed settings)`,
  );
  if (args.includes('acp')) (await import('./acp/add-acp-flags.js')).addAcpFlags(acp, setExit);
  const skills = subcommand('skills', 'list skills: who may use each, problems', 'coppice skills list');
  const commands = subcommand('commands', 'list custom commands (.claude/commands)', 'coppice commands list');
  if (args.includes('skills') || args.includes('commands')) {
    (await import('./extensions/add-extension-commands.js')).addExtensionCommands({ skills, commands }, setExit);
  }
  const plugins = subcommand(
    'plugins',
    'list plugins, and approve what they run automatically',
    'coppice plugins list',
  );
  if (args.includes('plugins')) (await import('./plugins/add-plugin-commands.js')).addPluginCommands(plugins, setExit);
  const permissions = program.command('permissions').description('test permission rules').exitOverride();
  permissions
    .command('test [command]')
    .description(
      'show the decision on a command, or on calls from stdin (one JSON object per line), without running it',
    )
    .option('--allow <rule>', 'allow this rule; repeatable', collect)
    .option('--ask <rule>', 'ask for this rule; repeatable', collect)
    .option('--deny <rule>', 'deny this rule; repeatable', collect)
    .option('--mode <mode>', 'the permission mode', 'default')
    .option('--trust', 'as if the folder were trusted')
    .option('--confine <on|off>', 'as if read-only commands could, or could not, be confined')
    .option('--expect <decision>', 'allow, ask or deny: exit with 1 if a call gets another decision')
    .option('--json', 'one JSON object per line')
    .addHelpText(
      'after',
      '\nExample:\n  coppice permissions test --allow "Bash(npm run:*)" "npm run build && rm -rf dist"',
    )
    .exitOverride()
    .action(async (command, options) =>
      setExit(await (await import('./commands/permissions-test.js')).runPermissionsTest(command, options)),
    );
  return program;
}

/** Commands that store nothing in the user's home. */
const HOMELESS_COMMANDS = new Set(['sim', 'demo']);

class NoHomeError extends Error {}

function explainFailure(error: unknown, debug: boolean): number {
  if (error instanceof CommanderError) {
    // Help and version also exit this way; they are not failures.
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
  if (error instanceof NotYetError) {
    process.stderr.write(`error: ${error.message}\n`);
    return EXIT.usage;
  }
  const message = reasonOf(error);
  if (error instanceof NoHomeError) {
    process.stderr.write(`error: ${escapeControls(message)}\n`);
    return EXIT.error;
  }
  process.stderr.write(`error: ${message}\n`);
  if (debug && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  else process.stderr.write('This is a bug in coppice. Run again with --debug to see the stack trace.\n');
  return EXIT.error;
}

const DEMO_HELP = `  coppice demo --play

An agent reads a small repository, forks itself three times (one fork works in a worktree and asks for a permission, one
works in the background), the process is killed while a fourth works, and the session is resumed. Only the model is simulated.
With --play it runs in the terminal for half a minute, as you would use it. When it asks, you may answer; if you press no
key, it is answered for you. Ctrl+C leaves. Both end with a list of the agents, what the forks read from the cache, and
where the files are.`;

const HELP_END = `
In a terminal, without -p, it starts an interactive session: type a prompt, / for commands, @ for files, ! for the shell,
? for the keys; esc interrupts, ctrl+d leaves. --plain (or ACCESSIBLE=1) prints lines only, NO_COLOR=1 turns colours off.

Examples:
  coppice
  coppice --continue
  coppice -p "why does the test in test/parse.test.ts fail?"
  git diff | coppice -p "review this change"
  coppice -p "fix the typo in README.md" --permission-mode acceptEdits
  coppice -p "run the tests" --allowedTools "Bash(npm test:*)" --output-format json

Exit codes: 0 done, 1 error, 2 usage error, 130 interrupted, 143 terminated, 129 hung up.`;

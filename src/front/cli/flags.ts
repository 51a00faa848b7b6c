/** The flags of the main command. A flag that is known but not supported yet is refused, never ignored. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { PERMISSION_MODES, type PermissionMode } from '../../protocol/permission.js';
import type { RewindScope } from '../../session/files/rewind.js';

export type Flags = {
  readonly print?: boolean;
  readonly model?: string;
  readonly effort?: string;
  readonly permissionMode?: PermissionMode;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly addDir?: readonly string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly maxTurns?: number;
  readonly maxUsd?: number;
  readonly maxTokens?: number;
  readonly outputFormat: 'text' | 'json' | 'stream-json';
  readonly inputFormat: 'text' | 'stream-json';
  readonly includePartialMessages?: boolean;
  readonly sessionId?: string;
  readonly continue?: boolean;
  readonly resume?: string | boolean;
  readonly branch?: boolean;
  readonly rewindTo?: number;
  readonly rewind?: RewindScope;
  readonly agent?: string;
  readonly agents?: string;
  readonly fork?: 'on' | 'off';
  readonly coordinator?: boolean;
  /** In seconds. */
  readonly backgroundWait: number;
  readonly settings?: string;
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
  readonly trust?: boolean;
  readonly mcpConfig?: readonly string[];
  readonly strictMcpConfig?: boolean;
  readonly pluginDir?: readonly string[];
  readonly worktree?: string | true;
  readonly record?: string;
  readonly replay?: string;
  readonly verbose?: boolean;
  readonly debug?: boolean;
  readonly plain?: boolean;
  readonly permissionPromptTool?: 'stdio';
};

/** Repeats session/files/rewind, to keep that module out of the start-up path. */
const REWIND_SCOPES: readonly RewindScope[] = ['both', 'conversation', 'files'];

/** Common or planned flags, with their arguments; none is supported yet. */
const NOT_YET: readonly string[] = ['--json-schema <schema>', '--fallback-model <model>'];

const DEFAULT_BACKGROUND_WAIT = 600;

export function addFlags(command: Command): Command {
  command
    .option('-p, --print', 'answer one prompt, print the result and exit')
    .option('--model <model>', 'alias (opus, sonnet, haiku, fable) or full id')
    .addOption(
      new Option('--effort <level>', 'how hard the model thinks').choices(['low', 'medium', 'high', 'xhigh', 'max']),
    )
    .addOption(
      new Option('--permission-mode <mode>', 'what may happen without asking').choices(
        PERMISSION_MODES.filter((mode) => mode !== 'bubble'),
      ),
    )
    .option('--allowedTools <rules...>', 'rules to allow, such as "Bash(npm test:*)" Edit')
    .option('--disallowedTools <rules...>', 'rules to deny')
    .option('--add-dir <folders...>', 'further folders to work in')
    .option('--system-prompt <text>', 'use this system prompt instead of ours')
    .option('--append-system-prompt <text>', 'add this to the system prompt')
    .option('--max-turns <n>', 'stop after this many turns', positiveWhole)
    .option('--max-usd <dollars>', 'stop before more than this is spent', positiveNumber)
    .option('--max-tokens <n>', 'stop before more tokens than this are used', positiveWhole)
    .addOption(
      new Option('--output-format <format>', 'output format').choices(['text', 'json', 'stream-json']).default('text'),
    )
    .addOption(
      new Option('--input-format <format>', 'format of stdin').choices(['text', 'stream-json']).default('text'),
    )
    .option('--include-partial-messages', 'stream-json: include partial replies as they stream')
    .option('-c, --continue', 'continue the newest session of this folder')
    .option('-r, --resume [id]', 'resume a session by id or the beginning of one; without an id, choose from a list')
    .option('--branch', 'with --continue or --resume: continue as a new session')
    .option('--rewind-to <n>', 'with --continue or --resume: first rewind to before prompt n', positiveWhole)
    .addOption(new Option('--rewind <part>', 'with --rewind-to: what to rewind').choices([...REWIND_SCOPES]))
    .option('--session-id <id>', 'use this id for the session')
    .option('--worktree [name]', 'work in a git worktree: a new one, or the one of this name')
    .option('--agent <name>', 'run the session as this agent: its prompt, tools and model')
    .option('--agents <json>', 'more agents: {"name": {"description": "…", "prompt": "…"}}', readObject)
    .addOption(new Option('--fork <on|off>', 'whether the model can fork the conversation').choices(['on', 'off']))
    .option('--coordinator', 'the main agent only delegates; every child runs in the background')
    .option(
      '--background-wait <seconds>',
      'headless: how long to wait for background tasks when the main agent has ended',
      seconds,
      DEFAULT_BACKGROUND_WAIT,
    )
    .option('--settings <file-or-json>', 'more settings; they override those of the files')
    .option('--setting-sources <list>', 'which settings files to read: user,project,local', settingSources)
    .option('--mcp-config <files-or-json...>', 'more MCP servers: {"mcpServers": {"name": {…}}}')
    .option('--strict-mcp-config', 'no MCP servers but those of --mcp-config')
    .option('--plugin-dir <folder>', 'a plugin to load; may be given several times', collect)
    .option('--trust', 'trust this folder for this session: use its settings, skills, hooks and servers')
    .option('--record <file>', 'save the traffic with the model in a new file, without keys')
    .option(
      '--replay <file>',
      'play recorded traffic instead of asking the model; fails on the first request that differs',
    )
    .option('--verbose', 'show every turn and tool call on stderr')
    .option('--debug', 'show stack traces')
    .option('--plain', 'a line-based interactive session')
    .option(
      '--permission-prompt-tool <tool>',
      'who answers permission questions: stdio sends them as control lines',
      promptTool,
    );
  for (const flags of NOT_YET) {
    const option = new Option(flags).hideHelp();
    command.addOption(option);
    // Listen for the option itself: a value parser would miss an option given without a value.
    command.on(`option:${option.name()}`, () => refuse(flags));
  }
  return command;
}

export class NotYetError extends Error {}

function refuse(flags: string): never {
  const name = flags.split(/[ ,<[]+/).find((part) => part.startsWith('--'));
  throw new NotYetError(`${name} is not yet supported in this version`);
}

function promptTool(value: string): 'stdio' {
  if (value !== 'stdio')
    throw new NotYetError(
      '--permission-prompt-tool accepts only stdio in this version; MCP tools are not yet supported',
    );
  return value;
}

function positiveWhole(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('Give a whole number of at least 1.');
  return number;
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function seconds(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || number < 0) {
    throw new InvalidArgumentError('Give a number of seconds, 0 or more.');
  }
  return number;
}

function positiveNumber(value: string): number {
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0) throw new InvalidArgumentError('Give a number above 0.');
  return number;
}

function settingSources(value: string): string[] {
  const names = value
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const wrong = names.find((name) => !['user', 'project', 'local'].includes(name));
  if (wrong !== undefined) throw new InvalidArgumentError(`"${wrong}" is not one of user, project, local.`);
  return names;
}

/** Checked here, so that a slip does not start a session without the agents it was meant to have. */
function readObject(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  } catch {
    // Told below.
  }
  throw new InvalidArgumentError('Give a JSON object: {"name": {"description": "…", "prompt": "…"}}.');
}

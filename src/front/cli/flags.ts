/** The flags of the main command. A flag that is known but not supported yet is refused, never ignored. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SettingSource } from '../../config/settings/setting-sources.js';
import { PERMISSION_MODES, type PermissionMode } from '../../protocol/permission.js';
import type { RewindScope } from '../../session/files/rewind.js';

export type Flags = {
  readonly print?: boolean;
  readonly model?: string;
  readonly effort?: string;
  readonly thinking?: 'adaptive' | 'enabled' | 'disabled';
  readonly maxThinkingTokens?: number;
  readonly thinkingDisplay?: 'summarized' | 'omitted';
  readonly fallbackModel?: string;
  readonly betas?: readonly string[];
  readonly taskBudget?: number;
  readonly permissionMode?: PermissionMode;
  readonly dangerouslySkipPermissions?: boolean;
  readonly allowDangerouslySkipPermissions?: boolean;
  readonly tools?: readonly string[] | 'default';
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly addDir?: readonly string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly maxTurns?: number;
  readonly maxUsd?: number;
  readonly maxBudgetUsd?: number;
  readonly maxTokens?: number;
  readonly outputFormat: 'text' | 'json' | 'stream-json';
  readonly inputFormat: 'text' | 'stream-json';
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
  readonly includePartialMessages?: boolean;
  readonly includeHookEvents?: boolean;
  readonly replayUserMessages?: boolean;
  readonly sessionId?: string;
  readonly continue?: boolean;
  readonly resume?: string | boolean;
  readonly branch?: boolean;
  readonly forkSession?: boolean;
  readonly resumeSessionAt?: string;
  /** `--no-session-persistence` makes it false. */
  readonly sessionPersistence?: boolean;
  readonly rewindTo?: number;
  readonly rewind?: RewindScope;
  readonly agent?: string;
  readonly agents?: string;
  readonly fork?: 'on' | 'off';
  readonly coordinator?: boolean;
  /** In seconds. */
  readonly backgroundWait: number;
  readonly settings?: string;
  readonly settingSources?: readonly SettingSource[];
  readonly trust?: boolean;
  readonly mcpConfig?: readonly string[];
  readonly strictMcpConfig?: boolean;
  readonly pluginDir?: readonly string[];
  readonly worktree?: string | true;
  readonly record?: string;
  readonly replay?: string;
  readonly verbose?: boolean;
  readonly debug?: boolean;
  readonly debugFile?: string;
  readonly plain?: boolean;
  readonly permissionPromptTool?: 'stdio';
  readonly permissionPrompts?: 'host' | 'none';
};

/** Repeats session/files/rewind, to keep that module out of the start-up path. */
const REWIND_SCOPES: readonly RewindScope[] = ['both', 'conversation', 'files'];

/** Common or planned flags, with their arguments; none is supported yet. */
const NOT_YET: readonly string[] = [
  '--managed-settings <json>',
  '--project-config-root <folder>',
  '--resume-drops-turn <id>',
];

const DEFAULT_BACKGROUND_WAIT = 600;

export function addFlags(command: Command): Command {
  addSessionFlags(command.option('-p, --print', 'answer one prompt, print the result and exit'))
    .addOption(
      new Option('--output-format <format>', 'output format').choices(['text', 'json', 'stream-json']).default('text'),
    )
    .addOption(
      new Option('--input-format <format>', 'format of stdin').choices(['text', 'stream-json']).default('text'),
    )
    .option('--json-schema <json>', 'the result is a value that fits this JSON schema', readSchema)
    .option('--include-partial-messages', 'stream-json: include partial replies as they stream')
    .option('--include-hook-events', 'stream-json: include what hooks do')
    .option('--replay-user-messages', 'stream-json: repeat each prompt when it is taken up')
    .option('-c, --continue', 'continue the newest session of this folder')
    .option('-r, --resume [id]', 'resume a session by id or the beginning of one; without an id, choose from a list')
    .option('--branch', 'with --continue or --resume: continue as a new session')
    .option('--fork-session', 'the same as --branch')
    .option('--resume-session-at <id>', 'with --resume: go on from just after this message')
    .option('--no-session-persistence', 'keep nothing of the session on disk when it ends')
    .option('--rewind-to <n>', 'with --continue or --resume: first rewind to before prompt n', positiveWhole)
    .addOption(new Option('--rewind <part>', 'with --rewind-to: what to rewind').choices([...REWIND_SCOPES]))
    .option('--session-id <id>', 'use this id for the session')
    .option('--worktree [name]', 'work in a git worktree: a new one, or the one of this name')
    .option(
      '--background-wait <seconds>',
      'headless: how long to wait for background tasks when the main agent has ended',
      seconds,
      DEFAULT_BACKGROUND_WAIT,
    )
    .option('--record <file>', 'save the traffic with the model in a new file, without keys')
    .option(
      '--replay <file>',
      'play recorded traffic instead of asking the model; fails on the first request that differs',
    )
    .option('--verbose', 'show every turn and tool call on stderr')
    .option('--debug', 'show stack traces')
    .option('--debug-file <file>', 'write what happens to this file, for finding a fault')
    .option('--plain', 'an interactive session of lines, for screen readers and simple terminals')
    .option(
      '--permission-prompt-tool <tool>',
      'who answers permission questions: stdio sends them as control lines',
      promptTool,
    )
    .addOption(
      new Option('--permission-prompts <who>', 'stream-json: whether the client is asked').choices(['host', 'none']),
    )
    // With stream-json the first line is always waited for.
    .addOption(new Option('--await-initialize').hideHelp());
  for (const flags of NOT_YET) {
    const option = new Option(flags).hideHelp();
    command.addOption(option);
    // Listen for the option itself: a value parser would miss an option given without a value.
    command.on(`option:${option.name()}`, () => refuse(flags));
  }
  return command;
}

/** What a session can be opened with, whoever its client is. */
export function addSessionFlags(command: Command): Command {
  return command
    .option('--model <model>', 'alias (opus, sonnet, haiku, fable) or full id')
    .addOption(
      new Option('--effort <level>', 'how hard the model thinks').choices(['low', 'medium', 'high', 'xhigh', 'max']),
    )
    .addOption(new Option('--thinking <mode>', 'whether the model thinks').choices(['adaptive', 'enabled', 'disabled']))
    .option('--max-thinking-tokens <n>', 'how much it may think, where a model takes a budget; 0: not at all', whole)
    .addOption(
      new Option('--thinking-display <how>', 'what is shown of it').choices(['summarized', 'omitted']).hideHelp(),
    )
    .option('--fallback-model <model>', 'another model for the turn in which this one is overloaded')
    .option('--betas <names...>', 'beta features of the API', list)
    .option('--task-budget <n>', 'how many tokens the model is told it has for the task', positiveWhole)
    .addOption(
      new Option('--permission-mode <mode>', 'what may happen without asking').choices(
        PERMISSION_MODES.filter((mode) => mode !== 'bubble'),
      ),
    )
    .option('--dangerously-skip-permissions', 'the same as --permission-mode bypassPermissions')
    .option('--allow-dangerously-skip-permissions', 'the session may be switched to bypassPermissions later')
    .option('--tools <names>', 'only these built-in tools: Read,Edit; "" for none, default for all', toolNames)
    .option('--allowedTools <rules...>', 'rules to allow, such as "Bash(npm test:*)" Edit')
    .option('--disallowedTools <rules...>', 'rules to deny')
    .option('--add-dir <folders...>', 'further folders to work in')
    .option('--system-prompt <text>', 'use this system prompt instead of ours')
    .option('--append-system-prompt <text>', 'add this to the system prompt')
    .option('--max-turns <n>', 'stop after this many turns', positiveWhole)
    .option('--max-usd <dollars>', 'stop before more than this is spent', positiveNumber)
    .option('--max-budget-usd <dollars>', 'the same as --max-usd', positiveNumber)
    .option('--max-tokens <n>', 'stop before more tokens than this are used', positiveWhole)
    .option('--agent <name>', 'run the session as this agent: its prompt, tools and model')
    .option('--agents <json>', 'more agents: {"name": {"description": "…", "prompt": "…"}}', readObject)
    .addOption(new Option('--fork <on|off>', 'whether the model can fork the conversation').choices(['on', 'off']))
    .option('--coordinator', 'the main agent only delegates; every child runs in the background')
    .option('--settings <file-or-json>', 'more settings; they override those of the files')
    .option('--setting-sources <list>', 'whose files to read: user,project,local; "" for none', settingSources)
    .option('--mcp-config <files-or-json...>', 'more MCP servers: {"mcpServers": {"name": {…}}}')
    .option('--strict-mcp-config', 'no MCP servers but those of --mcp-config')
    .option('--plugin-dir <folder>', 'a plugin to load; may be given several times', collect)
    .option('--trust', 'trust this folder for this session: use its settings, skills, hooks and servers');
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

function whole(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isInteger(number) || number < 0) {
    throw new InvalidArgumentError('Give a whole number, 0 or more.');
  }
  return number;
}

/** `a,b` or `a b`. */
function list(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...namesIn(value)];
}

function namesIn(value: string): string[] {
  return value
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

export function toolNames(value: string): readonly string[] | 'default' {
  return value.trim() === 'default' ? 'default' : namesIn(value);
}

function readSchema(value: string): object {
  const schema = parseObject(value);
  if (schema === undefined)
    throw new InvalidArgumentError('Give a JSON schema: {"type": "object", "properties": {…}}.');
  return schema;
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
  const names = namesIn(value);
  const wrong = names.find((name) => !['user', 'project', 'local'].includes(name));
  if (wrong !== undefined) throw new InvalidArgumentError(`"${wrong}" is not one of user, project, local.`);
  return names;
}

/** Checked here, so that a slip does not start a session without the agents it was meant to have. */
function readObject(text: string): string {
  if (parseObject(text) !== undefined) return text;
  throw new InvalidArgumentError('Give a JSON object: {"name": {"description": "…", "prompt": "…"}}.');
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

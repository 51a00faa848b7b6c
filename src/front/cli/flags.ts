/**
 * The flags, a row each: its spelling, description and value, the surfaces that have it, and the session option that it
 * sets. The type of all flags, the help and the options of a session are derived from these rows.
 */

import { type Command, Option } from 'commander';
import type { SessionOptions } from '../../engine/session-options.js';
import { EFFORT_LEVELS, REWIND_SCOPES } from '../../protocol/commands.js';
import { PERMISSION_MODES } from '../../protocol/permission.js';
import {
  collect,
  hidden,
  list,
  NotYetError,
  OPTIONAL_TEXT,
  oneOf,
  positiveNumber,
  positiveWhole,
  promptTool,
  read,
  readObject,
  readSchema,
  SWITCH,
  seconds,
  settingSources,
  TEXT,
  TEXTS,
  toolNames,
  type Value,
  whole,
} from './flag-values.js';

type Flag<T = unknown> = {
  readonly flags: string;
  readonly description: string;
  readonly value: Value<T>;
  /** `session`: for every client that opens a session. `main`: only for the main command. */
  readonly on: 'session' | 'main';
  /** The session option that gets the same value; `options-from-flags.ts` sets the others. */
  readonly sets?: keyof SessionOptions;
};

const flag = <T>(
  on: Flag['on'],
  flags: string,
  description: string,
  value: Value<T>,
  sets?: keyof SessionOptions,
): Flag<T> => {
  return { on, flags, description, value, ...(sets === undefined ? {} : { sets }) };
};
const main = <T>(flags: string, description: string, value: Value<T>, sets?: keyof SessionOptions) =>
  flag('main', flags, description, value, sets);
const session = <T>(flags: string, description: string, value: Value<T>, sets?: keyof SessionOptions) =>
  flag('session', flags, description, value, sets);

const DEFAULT_BACKGROUND_WAIT = 600;

/** In the order of the help. The name of a row is the flag without dashes. */
export const FLAGS = {
  print: main('-p, --print', 'answer one prompt, print the result and exit', SWITCH),
  model: session('--model <model>', 'alias (opus, sonnet, haiku, fable) or full id', TEXT, 'model'),
  effort: session('--effort <level>', 'reasoning effort of the model', oneOf([...EFFORT_LEVELS]), 'effort'),
  thinking: session('--thinking <mode>', 'extended thinking', oneOf(['adaptive', 'enabled', 'disabled'])),
  maxThinkingTokens: session(
    '--max-thinking-tokens <n>',
    'thinking budget, for models that take one; 0 turns thinking off',
    read(whole),
  ),
  thinkingDisplay: session(
    '--thinking-display <how>',
    'how thinking is shown',
    hidden(oneOf(['summarized', 'omitted'])),
  ),
  fallbackModel: session(
    '--fallback-model <model>',
    'model for a turn in which the main one is overloaded',
    TEXT,
    'fallbackModel',
  ),
  betas: session('--betas <names...>', 'beta features of the API', read(list), 'betas'),
  taskBudget: session(
    '--task-budget <n>',
    'token budget for the task, announced to the model',
    read(positiveWhole),
    'taskBudget',
  ),
  permissionMode: session(
    '--permission-mode <mode>',
    'what may run without asking',
    oneOf(PERMISSION_MODES.filter((mode) => mode !== 'bubble')),
    'permissionMode',
  ),
  dangerouslySkipPermissions: session(
    '--dangerously-skip-permissions',
    'the same as --permission-mode bypassPermissions',
    SWITCH,
  ),
  allowDangerouslySkipPermissions: session(
    '--allow-dangerously-skip-permissions',
    'allow switching to bypassPermissions later',
    SWITCH,
    'allowBypass',
  ),
  tools: session(
    '--tools <names>',
    'only these built-in tools: Read,Edit; "" for none, default for all',
    read(toolNames),
  ),
  allowedTools: session(
    '--allowedTools <rules...>',
    'rules to allow, such as "Bash(npm test:*)" Edit',
    TEXTS,
    'allowedTools',
  ),
  disallowedTools: session('--disallowedTools <rules...>', 'rules to deny', TEXTS, 'disallowedTools'),
  addDir: session('--add-dir <folders...>', 'additional folders to work in', TEXTS, 'addDirs'),
  systemPrompt: session('--system-prompt <text>', 'replace the system prompt', TEXT, 'systemPrompt'),
  appendSystemPrompt: session(
    '--append-system-prompt <text>',
    'append to the system prompt',
    TEXT,
    'appendSystemPrompt',
  ),
  maxTurns: session('--max-turns <n>', 'stop after this many turns', read(positiveWhole), 'maxTurns'),
  maxUsd: session('--max-usd <dollars>', 'stop before the cost exceeds this', read(positiveNumber), 'maxUsd'),
  maxBudgetUsd: session('--max-budget-usd <dollars>', 'the same as --max-usd', read(positiveNumber), 'maxUsd'),
  maxTokens: session('--max-tokens <n>', 'stop before using more tokens than this', read(positiveWhole), 'maxTokens'),
  agent: session('--agent <name>', 'run the session as this agent: its prompt, tools and model', TEXT, 'agent'),
  agents: session(
    '--agents <json>',
    'additional agents: {"name": {"description": "…", "prompt": "…"}}',
    read(readObject),
    'agents',
  ),
  fork: session('--fork <on|off>', 'let the model fork the conversation', oneOf(['on', 'off']), 'fork'),
  coordinator: session(
    '--coordinator',
    'the main agent only delegates; every child runs in the background',
    SWITCH,
    'coordinator',
  ),
  settings: session(
    '--settings <file-or-json>',
    'additional settings; they override the settings files',
    TEXT,
    'settings',
  ),
  settingSources: session(
    '--setting-sources <list>',
    'settings files to read: user,project,local; "" for none',
    read(settingSources),
    'settingSources',
  ),
  mcpConfig: session(
    '--mcp-config <files-or-json...>',
    'additional MCP servers: {"mcpServers": {"name": {…}}}',
    TEXTS,
    'mcpConfig',
  ),
  strictMcpConfig: session(
    '--strict-mcp-config',
    'use only the MCP servers of --mcp-config',
    SWITCH,
    'strictMcpConfig',
  ),
  pluginDir: session('--plugin-dir <folder>', 'load a plugin; repeatable', read(collect), 'pluginDirs'),
  trust: session(
    '--trust',
    'trust this folder for this session: use its settings, skills, hooks and servers',
    SWITCH,
    'trust',
  ),
  outputFormat: main('--output-format <format>', 'output format', oneOf(['text', 'json', 'stream-json'], 'text')),
  inputFormat: main('--input-format <format>', 'format of stdin', oneOf(['text', 'stream-json'], 'text')),
  jsonSchema: main(
    '--json-schema <json>',
    'return a result that matches this JSON schema',
    read(readSchema),
    'outputSchema',
  ),
  includePartialMessages: main(
    '--include-partial-messages',
    'stream-json: include partial replies as they stream',
    SWITCH,
  ),
  includeHookEvents: main('--include-hook-events', 'stream-json: include hook events', SWITCH, 'hookEvents'),
  replayUserMessages: main('--replay-user-messages', 'stream-json: echo each prompt when the agent reads it', SWITCH),
  continue: main('-c, --continue', 'continue the newest session of this folder', SWITCH),
  resume: main(
    '-r, --resume [id]',
    'resume a session by id or id prefix; without one, choose from a list',
    OPTIONAL_TEXT,
  ),
  branch: main('--branch', 'with --continue or --resume: continue as a new session', SWITCH, 'branch'),
  forkSession: main('--fork-session', 'the same as --branch', SWITCH, 'branch'),
  resumeSessionAt: main(
    '--resume-session-at <id>',
    'with --resume: continue just after this message',
    TEXT,
    'resumeAt',
  ),
  sessionPersistence: main('--no-session-persistence', 'delete the session from disk when it ends', SWITCH),
  rewindTo: main(
    '--rewind-to <n>',
    'with --continue or --resume: first rewind to before prompt n',
    read(positiveWhole),
  ),
  rewind: main('--rewind <part>', 'with --rewind-to: what to rewind', oneOf([...REWIND_SCOPES])),
  sessionId: main('--session-id <id>', 'use this id for the session', TEXT, 'sessionId'),
  worktree: main(
    '--worktree [name]',
    'work in a git worktree: a new one, or the one of this name',
    OPTIONAL_TEXT,
    'worktree',
  ),
  backgroundWait: main(
    '--background-wait <seconds>',
    'headless: how long to wait for background tasks after the main agent is done',
    read(seconds, DEFAULT_BACKGROUND_WAIT),
  ),
  record: main('--record <file>', 'record the model traffic in a new file, without keys', TEXT, 'record'),
  replay: main(
    '--replay <file>',
    'replay recorded traffic instead of calling the model; fails on the first request that differs',
    TEXT,
    'replay',
  ),
  verbose: main('--verbose', 'show every turn and tool call on stderr', SWITCH),
  debug: main('--debug', 'show stack traces', SWITCH),
  debugFile: main('--debug-file <file>', 'write a debug log to this file', TEXT, 'debugFile'),
  plain: main('--plain', 'interactive session line by line, for screen readers and simple terminals', SWITCH),
  permissionPromptTool: main(
    '--permission-prompt-tool <tool>',
    'who answers permission prompts: stdio sends them as control messages',
    read(promptTool),
  ),
  permissionPrompts: main(
    '--permission-prompts <who>',
    'stream-json: whether to ask the client',
    oneOf(['host', 'none']),
  ),
  awaitInitialize: main('--await-initialize', '', hidden(SWITCH)),
};

type Table = typeof FLAGS;
type ValueOf<N extends keyof Table> = Table[N] extends Flag<infer T> ? T : never;
type Defaulted = 'outputFormat' | 'inputFormat' | 'backgroundWait';

/** The parsed values. `--no-session-persistence` makes `sessionPersistence` false; `backgroundWait` is in seconds. */
export type Flags = { readonly [N in Exclude<keyof Table, Defaulted>]?: ValueOf<N> } & {
  readonly [N in Defaulted]: ValueOf<N>;
};

/** Common or planned flags that are not supported yet: refused, never ignored. */
const NOT_YET: readonly string[] = [
  '--managed-settings <json>',
  '--project-config-root <folder>',
  '--resume-drops-turn <id>',
];

export function addFlags(command: Command): Command {
  for (const row of Object.values<Flag>(FLAGS)) command.addOption(optionOf(row));
  for (const flags of NOT_YET) {
    const option = new Option(flags).hideHelp();
    command.addOption(option);
    // Listen for the option itself: a value parser would miss an option given without a value.
    command.on(`option:${option.name()}`, () => {
      throw new NotYetError(`--${option.name()} is not yet supported in this version`);
    });
  }
  return command;
}

export function addSessionFlags(command: Command): Command {
  for (const row of Object.values<Flag>(FLAGS)) if (row.on === 'session') command.addOption(optionOf(row));
  return command;
}

function optionOf({
  flags,
  description,
  value: { parse, choices, default: byDefault, isHidden = false },
}: Flag): Option {
  const option = new Option(flags, description).hideHelp(isHidden);
  if (parse !== undefined) option.argParser(parse as (value: string, before: unknown) => unknown);
  if (choices !== undefined) option.choices(choices as readonly string[]);
  return byDefault === undefined ? option : option.default(byDefault);
}

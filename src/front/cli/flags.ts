/**
 * The flags, a row each: how it is written, what it is for, what it takes, which surfaces have it, and the session
 * option that it sets. The type of all flags, the help and the options of a session come from these rows.
 */

import { type Command, Option } from 'commander';
import type { SessionOptions } from '../../engine/session-options.js';
import { PERMISSION_MODES } from '../../protocol/permission.js';
import type { RewindScope } from '../../session/files/rewind.js';
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
  readonly what: string;
  readonly value: Value<T>;
  /** `session`: what a session can be opened with, whoever its client is. `main`: only the main command has it. */
  readonly on: 'session' | 'main';
  /** The session option with the same value; others are made in `options-from-flags.ts`. */
  readonly sets?: keyof SessionOptions;
};

const flag = <T>(
  on: Flag['on'],
  flags: string,
  what: string,
  value: Value<T>,
  sets?: keyof SessionOptions,
): Flag<T> => {
  return { on, flags, what, value, ...(sets === undefined ? {} : { sets }) };
};
const main = <T>(flags: string, what: string, value: Value<T>, sets?: keyof SessionOptions) =>
  flag('main', flags, what, value, sets);
const session = <T>(flags: string, what: string, value: Value<T>, sets?: keyof SessionOptions) =>
  flag('session', flags, what, value, sets);

/** Repeats session/files/rewind, to keep that module out of the start-up path. */
const REWIND_SCOPES: readonly RewindScope[] = ['both', 'conversation', 'files'];

const DEFAULT_BACKGROUND_WAIT = 600;

/** In the order of the help. A name is the flag without dashes. */
export const FLAGS = {
  print: main('-p, --print', 'answer one prompt, print the result and exit', SWITCH),
  model: session('--model <model>', 'alias (opus, sonnet, haiku, fable) or full id', TEXT, 'model'),
  effort: session(
    '--effort <level>',
    'how hard the model thinks',
    oneOf(['low', 'medium', 'high', 'xhigh', 'max']),
    'effort',
  ),
  thinking: session('--thinking <mode>', 'whether the model thinks', oneOf(['adaptive', 'enabled', 'disabled'])),
  maxThinkingTokens: session(
    '--max-thinking-tokens <n>',
    'how much it may think, where a model takes a budget; 0: not at all',
    read(whole),
  ),
  thinkingDisplay: session('--thinking-display <how>', 'what is shown of it', hidden(oneOf(['summarized', 'omitted']))),
  fallbackModel: session(
    '--fallback-model <model>',
    'another model for the turn in which this one is overloaded',
    TEXT,
    'fallbackModel',
  ),
  betas: session('--betas <names...>', 'beta features of the API', read(list), 'betas'),
  taskBudget: session(
    '--task-budget <n>',
    'how many tokens the model is told it has for the task',
    read(positiveWhole),
    'taskBudget',
  ),
  permissionMode: session(
    '--permission-mode <mode>',
    'what may happen without asking',
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
    'the session may be switched to bypassPermissions later',
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
  addDir: session('--add-dir <folders...>', 'further folders to work in', TEXTS, 'addDirs'),
  systemPrompt: session('--system-prompt <text>', 'use this system prompt instead of ours', TEXT, 'systemPrompt'),
  appendSystemPrompt: session(
    '--append-system-prompt <text>',
    'add this to the system prompt',
    TEXT,
    'appendSystemPrompt',
  ),
  maxTurns: session('--max-turns <n>', 'stop after this many turns', read(positiveWhole), 'maxTurns'),
  maxUsd: session('--max-usd <dollars>', 'stop before more than this is spent', read(positiveNumber), 'maxUsd'),
  maxBudgetUsd: session('--max-budget-usd <dollars>', 'the same as --max-usd', read(positiveNumber), 'maxUsd'),
  maxTokens: session(
    '--max-tokens <n>',
    'stop before more tokens than this are used',
    read(positiveWhole),
    'maxTokens',
  ),
  agent: session('--agent <name>', 'run the session as this agent: its prompt, tools and model', TEXT, 'agent'),
  agents: session(
    '--agents <json>',
    'more agents: {"name": {"description": "…", "prompt": "…"}}',
    read(readObject),
    'agents',
  ),
  fork: session('--fork <on|off>', 'whether the model can fork the conversation', oneOf(['on', 'off']), 'fork'),
  coordinator: session(
    '--coordinator',
    'the main agent only delegates; every child runs in the background',
    SWITCH,
    'coordinator',
  ),
  settings: session('--settings <file-or-json>', 'more settings; they override those of the files', TEXT, 'settings'),
  settingSources: session(
    '--setting-sources <list>',
    'whose files to read: user,project,local; "" for none',
    read(settingSources),
    'settingSources',
  ),
  mcpConfig: session(
    '--mcp-config <files-or-json...>',
    'more MCP servers: {"mcpServers": {"name": {…}}}',
    TEXTS,
    'mcpConfig',
  ),
  strictMcpConfig: session(
    '--strict-mcp-config',
    'no MCP servers but those of --mcp-config',
    SWITCH,
    'strictMcpConfig',
  ),
  pluginDir: session(
    '--plugin-dir <folder>',
    'a plugin to load; may be given several times',
    read(collect),
    'pluginDirs',
  ),
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
    'the result is a value that fits this JSON schema',
    read(readSchema),
    'outputSchema',
  ),
  includePartialMessages: main(
    '--include-partial-messages',
    'stream-json: include partial replies as they stream',
    SWITCH,
  ),
  includeHookEvents: main('--include-hook-events', 'stream-json: include what hooks do', SWITCH, 'hookEvents'),
  replayUserMessages: main('--replay-user-messages', 'stream-json: repeat each prompt when it is taken up', SWITCH),
  continue: main('-c, --continue', 'continue the newest session of this folder', SWITCH),
  resume: main(
    '-r, --resume [id]',
    'resume a session by id or the beginning of one; without an id, choose from a list',
    OPTIONAL_TEXT,
  ),
  branch: main('--branch', 'with --continue or --resume: continue as a new session', SWITCH, 'branch'),
  forkSession: main('--fork-session', 'the same as --branch', SWITCH, 'branch'),
  resumeSessionAt: main(
    '--resume-session-at <id>',
    'with --resume: go on from just after this message',
    TEXT,
    'resumeAt',
  ),
  sessionPersistence: main('--no-session-persistence', 'keep nothing of the session on disk when it ends', SWITCH),
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
    'headless: how long to wait for background tasks when the main agent has ended',
    read(seconds, DEFAULT_BACKGROUND_WAIT),
  ),
  record: main('--record <file>', 'save the traffic with the model in a new file, without keys', TEXT, 'record'),
  replay: main(
    '--replay <file>',
    'play recorded traffic instead of asking the model; fails on the first request that differs',
    TEXT,
    'replay',
  ),
  verbose: main('--verbose', 'show every turn and tool call on stderr', SWITCH),
  debug: main('--debug', 'show stack traces', SWITCH),
  debugFile: main('--debug-file <file>', 'write what happens to this file, for finding a fault', TEXT, 'debugFile'),
  plain: main('--plain', 'an interactive session of lines, for screen readers and simple terminals', SWITCH),
  permissionPromptTool: main(
    '--permission-prompt-tool <tool>',
    'who answers permission questions: stdio sends them as control lines',
    read(promptTool),
  ),
  permissionPrompts: main(
    '--permission-prompts <who>',
    'stream-json: whether the client is asked',
    oneOf(['host', 'none']),
  ),
  awaitInitialize: main('--await-initialize', '', hidden(SWITCH)),
};

type Table = typeof FLAGS;
type ValueOf<N extends keyof Table> = Table[N] extends Flag<infer T> ? T : never;
type Defaulted = 'outputFormat' | 'inputFormat' | 'backgroundWait';

/** Values as given. `--no-session-persistence` makes `sessionPersistence` false; `backgroundWait` is in seconds. */
export type Flags = { readonly [N in Exclude<keyof Table, Defaulted>]?: ValueOf<N> } & {
  readonly [N in Defaulted]: ValueOf<N>;
};

/** Common or planned flags, with their arguments; none is supported yet: each is refused, never ignored. */
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

function optionOf({ flags, what, value: { parse, choices, default: byDefault, isHidden = false } }: Flag): Option {
  const option = new Option(flags, what).hideHelp(isHidden);
  if (parse !== undefined) option.argParser(parse as (value: string, before: unknown) => unknown);
  if (choices !== undefined) option.choices(choices as readonly string[]);
  return byDefault === undefined ? option : option.default(byDefault);
}

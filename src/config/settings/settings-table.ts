/**
 * The table of all settings. A row has everything about one setting: its shape, its default, how layers merge, whether a
 * project may set it, and a description. The schema of a file, `coppice config` and the table in docs/settings.md are
 * derived from it.
 */

import * as z from 'zod';
import { once } from '../../protocol/once.js';
import { SHAPES, type Shape } from './setting-shapes.js';

/**
 * `single`: the highest layer wins · `list`: the items of all layers apply · `map`: merged by key, the highest layer
 * wins for each · `events`: one list for each hook event.
 */
type Merge = 'single' | 'list' | 'map' | 'events';

/**
 * In the project's files (shared and local): `free`: applies · `trusted`: acts or widens, so it needs a trusted folder
 * · `narrows`: applies only if stricter than the user's own value · `never`: only the user may set it.
 */
type Project = 'free' | 'trusted' | 'narrows' | 'never';

type Extra<T> = {
  /** Used if no layer has a value. Omitted: there is none, or it depends on the session. */
  readonly default?: T;
  /** All values from strictest to widest, where a project may only narrow. Omitted: true is stricter than false. */
  readonly widths?: readonly T[];
};

export type SettingRow<T = unknown> = Extra<T> & {
  readonly merge: Merge;
  readonly project: Project;
  readonly shape: Shape<T>;
  readonly what: string;
};

function setting<T, const E extends Extra<T> = { readonly default?: undefined }>(
  merge: Merge,
  project: Project,
  shape: Shape<T>,
  what: string,
  extra?: E,
): Omit<SettingRow<T>, 'default'> & Pick<E, 'default' & keyof E> {
  return { merge, project, shape, what, ...extra } as Omit<SettingRow<T>, 'default'> & Pick<E, 'default' & keyof E>;
}

const { listOf, mapOf, named, oneOf } = SHAPES;

export const SETTINGS = {
  'permissions.allow': setting('list', 'trusted', listOf('rules'), 'Calls that run without asking'),
  'permissions.ask': setting('list', 'free', listOf('rules'), 'Calls that always ask'),
  'permissions.deny': setting('list', 'free', listOf('rules'), 'Calls that never run'),
  'permissions.additionalDirectories': setting('list', 'trusted', listOf('folders'), 'Additional folders to work in'),
  'permissions.defaultMode': setting('single', 'narrows', SHAPES.mode, 'The mode a session starts in', {
    default: 'default',
    widths: ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions'],
  }),
  'permissions.disableBypassPermissionsMode': setting(
    'single',
    'narrows',
    SHAPES.disableBypass,
    'Forbids the mode bypassPermissions',
    { default: false },
  ),
  hooks: setting('events', 'trusted', SHAPES.hooks, 'Commands run at events'),
  disableAllHooks: setting('single', 'never', SHAPES.flag, 'Disables all hooks', { default: false }),
  env: setting('map', 'trusted', SHAPES.environment, 'Environment variables for the session and its processes'),
  apiKeyHelper: setting('single', 'never', named('a command line'), 'Prints the API key'),
  model: setting('single', 'free', named('a model name or alias'), 'The model of the main agent'),
  fallbackModel: setting(
    'single',
    'free',
    SHAPES.oneOrMoreModels,
    'Used for a turn when the model is overloaded; in a list, the first other model',
  ),
  models: setting('map', 'trusted', SHAPES.models, 'Prices, sizes and aliases of models'),
  effort: setting('single', 'free', SHAPES.effort, 'How hard the model thinks'),
  alwaysThinkingEnabled: setting('single', 'free', SHAPES.flag, 'Thinking is on by default', { default: true }),
  maxOutputTokens: setting('single', 'free', SHAPES.count, 'Most output tokens per request', { default: 32_000 }),
  cacheLifetime: setting('single', 'free', oneOf('5m', '1h'), 'Lifetime of the prompt cache', { default: '5m' }),
  stallMs: setting('single', 'free', SHAPES.milliseconds, 'Time without output after which a run fails', {
    default: 600_000,
  }),
  cleanupPeriodDays: setting('single', 'never', SHAPES.days, 'Age after which old sessions may be removed'),
  statusLine: setting('single', 'trusted', SHAPES.statusLine, 'Command that prints the status line'),
  outputStyle: setting('single', 'free', named('the name of a style'), 'How answers are written'),
  agents: setting('map', 'free', SHAPES.definitions, 'Agent definitions, with prompt for the body'),
  disableBuiltinAgents: setting('single', 'free', SHAPES.builtInAgents, 'Hides built-in agents'),
  maxConcurrentAgents: setting('single', 'trusted', SHAPES.count, 'Most children that run at the same time', {
    default: 20,
  }),
  maxDepth: setting('single', 'trusted', SHAPES.count, 'How deep agents may nest', { default: 3 }),
  autoBackgroundMs: setting(
    'single',
    'free',
    SHAPES.milliseconds,
    'Time after which a child moves to the background (0: never)',
  ),
  forceBackground: setting('single', 'free', SHAPES.flag, 'Every child runs in the background', { default: false }),
  handoffCheck: setting(
    'single',
    'never',
    named('a command line or a model'),
    'Checks a finished child for unsafe actions',
  ),
  resumeAgents: setting('single', 'trusted', oneOf('ask', 'auto'), 'Whether interrupted agents resume automatically', {
    default: 'ask',
  }),
  'subagents.permissionMode': setting(
    'single',
    'never',
    oneOf('definition', 'inherit'),
    'Where a child gets its mode from',
    { default: 'definition' },
  ),
  'subagents.allowEdits': setting('single', 'never', SHAPES.flag, 'Children may edit without asking for each file', {
    default: false,
  }),
  'subagents.thinking': setting('single', 'free', SHAPES.flag, 'Thinking for children that are not forks', {
    default: false,
  }),
  'subagents.resultLimit': setting('single', 'free', SHAPES.characters, 'Longest result returned to the parent', {
    default: 32_000,
  }),
  'fork.siblings': setting('single', 'free', oneOf('all', 'own', 'auto'), 'What forks of one reply see of each other', {
    default: 'auto',
  }),
  'fork.warmupMs': setting(
    'single',
    'free',
    SHAPES.milliseconds,
    'How long forks wait for the first to fill the cache',
    { default: 2_000 },
  ),
  'worktree.includeDirty': setting('single', 'free', SHAPES.flag, 'Copies uncommitted changes into a worktree'),
  'worktree.sparsePaths': setting('list', 'free', listOf('paths'), 'Checks out only these paths'),
  'worktree.symlinkDirectories': setting('list', 'trusted', listOf('folders'), 'Folders linked into each worktree'),
  'worktree.maxOverlayBytes': setting('single', 'trusted', SHAPES.bytes, 'Most uncommitted bytes copied', {
    default: 50 * 1024 * 1024,
  }),
  sandbox: setting('single', 'narrows', oneOf('off', 'auto', 'required'), 'Runs shell commands in a sandbox', {
    default: 'off',
    widths: ['required', 'auto', 'off'],
  }),
  confineReads: setting(
    'single',
    'narrows',
    oneOf('auto', 'off'),
    'Runs read-only commands in a sandbox, without asking',
    { default: 'auto', widths: ['off', 'auto'] },
  ),
  mcpServers: setting('map', 'trusted', mapOf('name → server'), "MCP servers; a project's start once you approve them"),
  enableAllProjectMcpServers: setting('single', 'never', SHAPES.flag, 'Approves every server of .mcp.json'),
  enabledMcpjsonServers: setting('list', 'never', listOf('names'), 'Approved servers of .mcp.json'),
  disabledMcpjsonServers: setting('list', 'free', listOf('names'), 'Rejected servers of .mcp.json'),
  allowedMcpServers: setting('list', 'never', SHAPES.serverRules, 'The only MCP servers that may run ([]: none)'),
  deniedMcpServers: setting('list', 'free', SHAPES.serverRules, 'MCP servers that never run'),
  allowManagedMcpServersOnly: setting('single', 'never', SHAPES.flag, 'Only the managed allowedMcpServers apply'),
  'mcp.waitMs': setting('single', 'free', SHAPES.milliseconds, 'How long the first request waits for servers'),
  'mcp.searchAboveTokens': setting('single', 'free', SHAPES.tokens, 'Above this size, tools are declared on demand'),
  plugins: setting('list', 'trusted', listOf('folders'), 'Plugins, by path'),
  enabledPlugins: setting('map', 'free', SHAPES.pluginSwitches, 'Plugins by name'),
  extraKnownMarketplaces: setting('map', 'free', mapOf('name → source'), 'Where plugins are looked up: local folders'),
  pluginConfigs: setting('map', 'never', mapOf('plugin → {"options"}'), 'Options of plugins'),
  skillOverrides: setting('map', 'trusted', SHAPES.skillOverrides, 'Which skills the model sees'),
  skillListingBudgetFraction: setting('single', 'free', SHAPES.share, 'Share of the context for the list of skills', {
    default: 0.01,
  }),
  agentListingBudgetFraction: setting('single', 'free', SHAPES.share, 'Share of the context for the list of agents'),
  disableSkillShellExecution: setting(
    'single',
    'narrows',
    SHAPES.flag,
    'Stops skills and commands from running shell lines',
    {
      default: false,
    },
  ),
  askUserQuestionTimeout: setting(
    'single',
    'never',
    SHAPES.seconds,
    'How long a question from the model waits for your answer',
  ),
  allowedHttpHookUrls: setting('list', 'never', listOf('URL patterns'), 'Where hooks of the type http may post'),
  httpHookAllowedEnvVars: setting('list', 'never', listOf('names'), 'Variables that http hooks may send in headers'),
  theme: setting('single', 'never', named('the name of a theme'), 'Colour theme (auto: matches the terminal)'),
  notify: setting('single', 'never', SHAPES.notice, 'How you are notified while you are away', {
    default: 'auto',
  }),
  editorMode: setting('single', 'never', oneOf('normal', 'vim'), 'Key bindings of the input', { default: 'normal' }),
  agentsWarnAt: setting('single', 'never', SHAPES.count, 'Shows the cost when more agents than this are running', {
    default: 50,
  }),
} as const satisfies Readonly<Record<string, Omit<SettingRow<never>, 'default' | 'shape' | 'widths'>>>;

type Table = typeof SETTINGS;
export type SettingName = keyof Table;

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** Other spellings in the common settings format. */
export const SETTING_ALIASES: Readonly<Record<string, SettingName>> = { effortLevel: 'effort' };

type Value<N extends SettingName> = Table[N]['shape'] extends Shape<infer T> ? T : never;
type Group = SettingName extends infer N ? (N extends `${infer G}.${string}` ? G : never) : never;
type Single = Exclude<SettingName, `${string}.${string}`>;
type Members<G extends string> = {
  [N in SettingName as N extends `${G}.${infer M}` ? M : never]?: Value<N> | undefined;
};

/** The values of a file, or of all layers merged. Unknown keys are reported, not refused. */
export type Settings = { [N in Single]?: Value<N> | undefined } & {
  [G in Group]?: (Members<G> & Record<string, unknown>) | undefined;
} & Record<string, unknown>;

/** Checks a file. Built on first use. */
export const settingsSchema = once((): z.ZodType<Settings> => {
  const top: Record<string, z.ZodType> = {};
  const groups: Record<string, Record<string, z.ZodType>> = {};
  for (const name of SETTING_NAMES) {
    const [first = name, member] = name.split('.');
    const schema: z.ZodType = SETTINGS[name].shape.schema();
    if (member === undefined) top[first] = schema;
    else {
      groups[first] = { ...groups[first], [member]: schema };
      top[first] = z.looseObject(groups[first]).partial();
    }
  }
  return z.looseObject(top).partial() as unknown as z.ZodType<Settings>;
});

type Defaulted<N extends SettingName> = Table[N] extends { readonly default: infer D }
  ? undefined extends D
    ? undefined
    : never
  : undefined;

/** Returns the value of a setting, or the default of its row. */
export function settingOf<N extends SettingName>(settings: Settings, name: N): Value<N> | Defaulted<N> {
  const { default: byDefault } = SETTINGS[name] as SettingRow;
  return (getSetting(settings, name) ?? byDefault) as Value<N> | Defaulted<N>;
}

export function getSetting(settings: Settings, name: SettingName): unknown {
  const [first = name, second] = name.split('.');
  const value = settings[first];
  if (second === undefined) return value;
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[second] : undefined;
}

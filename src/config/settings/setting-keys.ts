/** The table of all known settings: what each is for, how layers merge, and whether a project may set it. */

export type SettingKey = {
  readonly what: string;
  /** The expected shape, as error messages show it. */
  readonly expects: string;
  readonly supported: 'now' | 'later';
  /**
   * `single`: the highest layer wins · `list`: the items of all layers apply · `map`: merged by key, the highest layer
   * wins for each · `events`: one list for each hook event.
   */
  readonly merge: 'single' | 'list' | 'map' | 'events';
  /**
   * In the project's files (shared and local): `free`: applies · `trusted`: acts or widens, so it needs a trusted folder
   * · `narrows`: applies only if stricter than the user's own value · `never`: only the user may set it.
   */
  readonly project: 'free' | 'trusted' | 'narrows' | 'never';
};

type Merge = SettingKey['merge'];
type Project = SettingKey['project'];

const now = (merge: Merge, project: Project, expects: string, what: string): SettingKey => {
  return { what, expects, supported: 'now', merge, project };
};
const later = (merge: Merge, project: Project, expects: string, what: string): SettingKey => {
  return { what, expects, supported: 'later', merge, project };
};

const SERVER_RULES = 'a list of {"serverName"}, {"serverCommand"} or {"serverUrl"}';

export const SETTING_KEYS = {
  'permissions.allow': now('list', 'trusted', 'a list of rules', 'Calls that run without asking'),
  'permissions.ask': now('list', 'free', 'a list of rules', 'Calls that always ask'),
  'permissions.deny': now('list', 'free', 'a list of rules', 'Calls that never run'),
  'permissions.additionalDirectories': now('list', 'trusted', 'a list of folders', 'Additional folders to work in'),
  'permissions.defaultMode': now('single', 'narrows', 'a permission mode', 'The mode a session starts in'),
  'permissions.disableBypassPermissionsMode': now(
    'single',
    'narrows',
    '"disable", true or false',
    'Forbids the mode bypassPermissions',
  ),
  hooks: now('events', 'trusted', 'an object: event → list of matchers with hooks', 'Commands run at events'),
  disableAllHooks: now('single', 'never', 'true or false', 'Disables all hooks'),
  env: now('map', 'trusted', 'an object of strings', 'Environment variables for the session and its processes'),
  apiKeyHelper: now('single', 'never', 'a command line', 'Prints the API key'),
  model: now('single', 'free', 'a model name or alias', 'The model of the main agent'),
  fallbackModel: now(
    'single',
    'free',
    'a model name or a list of them',
    'For turns in which the model is overloaded; of a list, the first other than the model',
  ),
  models: now('map', 'trusted', 'an object: model → data', 'Prices, sizes and aliases of models'),
  effort: now('single', 'free', 'an effort level', 'How hard the model thinks'),
  alwaysThinkingEnabled: now('single', 'free', 'true or false', 'Thinking is on by default'),
  maxOutputTokens: now('single', 'free', 'a whole number above 0', 'Most output tokens per request'),
  cacheLifetime: now('single', 'free', '"5m" or "1h"', 'How long the prompt cache is kept'),
  stallMs: now('single', 'free', 'milliseconds', 'Time without output after which a run fails'),
  cleanupPeriodDays: now('single', 'never', 'a number of days', 'Age after which old sessions may be removed'),
  statusLine: now('single', 'trusted', 'an object with type and command', 'Command that prints the status line'),
  outputStyle: now('single', 'free', 'the name of a style', 'How answers are written'),
  agents: now('map', 'free', 'an object: name → definition', 'Agent definitions, with prompt for the body'),
  disableBuiltinAgents: now('single', 'free', 'true, false or a list of names', 'Hides built-in agents'),
  maxConcurrentAgents: now('single', 'trusted', 'a whole number above 0', 'Most children that run at the same time'),
  maxDepth: now('single', 'trusted', 'a whole number above 0', 'How deep agents may nest'),
  autoBackgroundMs: now('single', 'free', 'milliseconds', 'When a child moves to the background (0: never)'),
  forceBackground: now('single', 'free', 'true or false', 'Every child runs in the background'),
  handoffCheck: now('single', 'never', 'a command line or a model', 'Checks a finished child for unsafe actions'),
  resumeAgents: now('single', 'trusted', '"ask" or "auto"', 'Whether interrupted agents resume automatically'),
  'subagents.permissionMode': now('single', 'never', '"definition" or "inherit"', 'Where a child gets its mode from'),
  'subagents.allowEdits': now('single', 'never', 'true or false', 'Children may edit without asking for each file'),
  'subagents.thinking': now('single', 'free', 'true or false', 'Thinking for children that are not forks'),
  'subagents.resultLimit': now('single', 'free', 'a number of characters', 'Longest result returned to the parent'),
  'fork.siblings': now('single', 'free', '"all", "own" or "auto"', 'What forks of one reply see of each other'),
  'fork.warmupMs': now('single', 'free', 'milliseconds', 'How long forks wait for the first to fill the cache'),
  'worktree.includeDirty': now('single', 'free', 'true or false', 'Takes uncommitted changes into a worktree'),
  'worktree.sparsePaths': now('list', 'free', 'a list of paths', 'Checks out only these paths'),
  'worktree.symlinkDirectories': now('list', 'trusted', 'a list of folders', 'Linked into each worktree'),
  'worktree.maxOverlayBytes': now('single', 'trusted', 'a number of bytes', 'Most uncommitted bytes taken along'),
  sandbox: now('single', 'narrows', '"off", "auto" or "required"', 'Runs shell commands in a sandbox'),
  confineReads: now('single', 'narrows', '"auto" or "off"', 'Runs commands that only read in a box, without asking'),
  mcpServers: now('map', 'trusted', 'an object: name → server', "MCP servers; a project's start once you approve them"),
  enableAllProjectMcpServers: now('single', 'never', 'true or false', 'Approves every server of .mcp.json'),
  enabledMcpjsonServers: now('list', 'never', 'a list of names', 'Approved servers of .mcp.json'),
  disabledMcpjsonServers: now('list', 'free', 'a list of names', 'Rejected servers of .mcp.json'),
  allowedMcpServers: now('list', 'never', SERVER_RULES, 'The only MCP servers that may run ([]: none)'),
  deniedMcpServers: now('list', 'free', SERVER_RULES, 'MCP servers that never run'),
  allowManagedMcpServersOnly: now('single', 'never', 'true or false', 'Only the managed allowedMcpServers count'),
  'mcp.waitMs': now('single', 'free', 'milliseconds', 'How long the first request waits for servers'),
  'mcp.searchAboveTokens': now('single', 'free', 'a number of tokens', 'Above this, tools are declared on demand'),
  plugins: now('list', 'trusted', 'a list of folders', 'Plugins, by path'),
  enabledPlugins: now('map', 'free', 'an object: name@marketplace → true or false', 'Plugins by name'),
  extraKnownMarketplaces: now('map', 'free', 'an object: name → source', 'Where plugins are looked up: local folders'),
  pluginConfigs: now('map', 'never', 'an object: plugin → {"options"}', 'What plugins ask a person to set'),
  skillOverrides: now(
    'map',
    'trusted',
    'an object: skill → "on", "name-only", "user-invocable-only" or "off"',
    'Which skills the model sees',
  ),
  skillListingBudgetFraction: now('single', 'free', 'a share from 0 to 1', 'Of the context, for the list of skills'),
  agentListingBudgetFraction: now('single', 'free', 'a share from 0 to 1', 'Of the context, for the list of agents'),
  disableSkillShellExecution: now('single', 'narrows', 'true or false', 'Skills and commands run no shell lines'),
  askUserQuestionTimeout: now('single', 'never', 'seconds', 'How long a question of the model waits for an answer'),
  allowedHttpHookUrls: now('list', 'never', 'a list of URL patterns', 'Where hooks of the type http may post'),
  httpHookAllowedEnvVars: now('list', 'never', 'a list of names', 'Variables that http hooks may send in headers'),
} as const satisfies Readonly<Record<string, SettingKey>>;

export type SettingName = keyof typeof SETTING_KEYS;

export const SETTING_NAMES = Object.keys(SETTING_KEYS) as readonly SettingName[];

/** Other spellings in the common settings format. */
export const SETTING_ALIASES: Readonly<Record<string, SettingName>> = { effortLevel: 'effort' };

/** Keys of the common settings format that have no effect here. `coppice config` lists them. */
export const UNSUPPORTED_KEYS: ReadonlySet<string> = new Set([
  'agent',
  'allowManagedHooksOnly',
  'allowManagedPermissionRulesOnly',
  'attribution',
  'autoMemoryDirectory',
  'autoMemoryEnabled',
  'autoMode',
  'autoUpdates',
  'autoUpdatesChannel',
  'availableModels',
  'awsAuthRefresh',
  'awsCredentialExport',
  'blockedMarketplaces',
  'channelsEnabled',
  'claudeMdExcludes',
  'companyAnnouncements',
  'defaultShell',
  'disableAutoMode',
  'editorMode',
  'fastMode',
  'fastModePerSessionOptIn',
  'feedbackSurveyRate',
  'fileSuggestion',
  'forceLoginMethod',
  'forceLoginOrgUUID',
  'includeCoAuthoredBy',
  'includeGitInstructions',
  'language',
  'modelOverrides',
  'otelHeadersHelper',
  'permissions.disableAutoMode',
  'plansDirectory',
  'preferredNotifChannel',
  'prefersReducedMotion',
  'promptSuggestionEnabled',
  'respectGitignore',
  'showThinkingSummaries',
  'showTurnDuration',
  'skipDangerousModePermissionPrompt',
  'skipWebFetchPreflight',
  'spinnerTipsEnabled',
  'spinnerTipsOverride',
  'spinnerVerbs',
  'strictKnownMarketplaces',
  'syntaxHighlightingDisabled',
  'teammateMode',
  'terminalProgressBarEnabled',
  'theme',
  'verbose',
  'voiceEnabled',
  'viewMode',
]);

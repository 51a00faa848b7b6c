/** The table of all known settings: what each is for, how layers merge, and whether a project may set it. */

export type SettingKey = {
  readonly what: string;
  /** The expected shape, as error messages show it. */
  readonly expects: string;
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

const setting = (merge: Merge, project: Project, expects: string, what: string): SettingKey => {
  return { what, expects, merge, project };
};

const SERVER_RULES = 'a list of {"serverName"}, {"serverCommand"} or {"serverUrl"}';

export const SETTING_KEYS = {
  'permissions.allow': setting('list', 'trusted', 'a list of rules', 'Calls that run without asking'),
  'permissions.ask': setting('list', 'free', 'a list of rules', 'Calls that always ask'),
  'permissions.deny': setting('list', 'free', 'a list of rules', 'Calls that never run'),
  'permissions.additionalDirectories': setting('list', 'trusted', 'a list of folders', 'Additional folders to work in'),
  'permissions.defaultMode': setting('single', 'narrows', 'a permission mode', 'The mode a session starts in'),
  'permissions.disableBypassPermissionsMode': setting(
    'single',
    'narrows',
    '"disable", true or false',
    'Forbids the mode bypassPermissions',
  ),
  hooks: setting('events', 'trusted', 'an object: event → list of matchers with hooks', 'Commands run at events'),
  disableAllHooks: setting('single', 'never', 'true or false', 'Disables all hooks'),
  env: setting('map', 'trusted', 'an object of strings', 'Environment variables for the session and its processes'),
  apiKeyHelper: setting('single', 'never', 'a command line', 'Prints the API key'),
  model: setting('single', 'free', 'a model name or alias', 'The model of the main agent'),
  fallbackModel: setting(
    'single',
    'free',
    'a model name or a list of them',
    'For turns in which the model is overloaded; of a list, the first other than the model',
  ),
  models: setting('map', 'trusted', 'an object: model → data', 'Prices, sizes and aliases of models'),
  effort: setting('single', 'free', 'an effort level', 'How hard the model thinks'),
  alwaysThinkingEnabled: setting('single', 'free', 'true or false', 'Thinking is on by default'),
  maxOutputTokens: setting('single', 'free', 'a whole number above 0', 'Most output tokens per request'),
  cacheLifetime: setting('single', 'free', '"5m" or "1h"', 'How long the prompt cache is kept'),
  stallMs: setting('single', 'free', 'milliseconds', 'Time without output after which a run fails'),
  cleanupPeriodDays: setting('single', 'never', 'a number of days', 'Age after which old sessions may be removed'),
  statusLine: setting('single', 'trusted', 'an object with type and command', 'Command that prints the status line'),
  outputStyle: setting('single', 'free', 'the name of a style', 'How answers are written'),
  agents: setting('map', 'free', 'an object: name → definition', 'Agent definitions, with prompt for the body'),
  disableBuiltinAgents: setting('single', 'free', 'true, false or a list of names', 'Hides built-in agents'),
  maxConcurrentAgents: setting(
    'single',
    'trusted',
    'a whole number above 0',
    'Most children that run at the same time',
  ),
  maxDepth: setting('single', 'trusted', 'a whole number above 0', 'How deep agents may nest'),
  autoBackgroundMs: setting('single', 'free', 'milliseconds', 'When a child moves to the background (0: never)'),
  forceBackground: setting('single', 'free', 'true or false', 'Every child runs in the background'),
  handoffCheck: setting('single', 'never', 'a command line or a model', 'Checks a finished child for unsafe actions'),
  resumeAgents: setting('single', 'trusted', '"ask" or "auto"', 'Whether interrupted agents resume automatically'),
  'subagents.permissionMode': setting(
    'single',
    'never',
    '"definition" or "inherit"',
    'Where a child gets its mode from',
  ),
  'subagents.allowEdits': setting('single', 'never', 'true or false', 'Children may edit without asking for each file'),
  'subagents.thinking': setting('single', 'free', 'true or false', 'Thinking for children that are not forks'),
  'subagents.resultLimit': setting('single', 'free', 'a number of characters', 'Longest result returned to the parent'),
  'fork.siblings': setting('single', 'free', '"all", "own" or "auto"', 'What forks of one reply see of each other'),
  'fork.warmupMs': setting('single', 'free', 'milliseconds', 'How long forks wait for the first to fill the cache'),
  'worktree.includeDirty': setting('single', 'free', 'true or false', 'Takes uncommitted changes into a worktree'),
  'worktree.sparsePaths': setting('list', 'free', 'a list of paths', 'Checks out only these paths'),
  'worktree.symlinkDirectories': setting('list', 'trusted', 'a list of folders', 'Linked into each worktree'),
  'worktree.maxOverlayBytes': setting('single', 'trusted', 'a number of bytes', 'Most uncommitted bytes taken along'),
  sandbox: setting('single', 'narrows', '"off", "auto" or "required"', 'Runs shell commands in a sandbox'),
  confineReads: setting(
    'single',
    'narrows',
    '"auto" or "off"',
    'Runs commands that only read in a box, without asking',
  ),
  mcpServers: setting(
    'map',
    'trusted',
    'an object: name → server',
    "MCP servers; a project's start once you approve them",
  ),
  enableAllProjectMcpServers: setting('single', 'never', 'true or false', 'Approves every server of .mcp.json'),
  enabledMcpjsonServers: setting('list', 'never', 'a list of names', 'Approved servers of .mcp.json'),
  disabledMcpjsonServers: setting('list', 'free', 'a list of names', 'Rejected servers of .mcp.json'),
  allowedMcpServers: setting('list', 'never', SERVER_RULES, 'The only MCP servers that may run ([]: none)'),
  deniedMcpServers: setting('list', 'free', SERVER_RULES, 'MCP servers that never run'),
  allowManagedMcpServersOnly: setting('single', 'never', 'true or false', 'Only the managed allowedMcpServers count'),
  'mcp.waitMs': setting('single', 'free', 'milliseconds', 'How long the first request waits for servers'),
  'mcp.searchAboveTokens': setting('single', 'free', 'a number of tokens', 'Above this, tools are declared on demand'),
  plugins: setting('list', 'trusted', 'a list of folders', 'Plugins, by path'),
  enabledPlugins: setting('map', 'free', 'an object: name@marketplace → true or false', 'Plugins by name'),
  extraKnownMarketplaces: setting(
    'map',
    'free',
    'an object: name → source',
    'Where plugins are looked up: local folders',
  ),
  pluginConfigs: setting('map', 'never', 'an object: plugin → {"options"}', 'What plugins ask a person to set'),
  skillOverrides: setting(
    'map',
    'trusted',
    'an object: skill → "on", "name-only", "user-invocable-only" or "off"',
    'Which skills the model sees',
  ),
  skillListingBudgetFraction: setting(
    'single',
    'free',
    'a share from 0 to 1',
    'Of the context, for the list of skills',
  ),
  agentListingBudgetFraction: setting(
    'single',
    'free',
    'a share from 0 to 1',
    'Of the context, for the list of agents',
  ),
  disableSkillShellExecution: setting('single', 'narrows', 'true or false', 'Skills and commands run no shell lines'),
  askUserQuestionTimeout: setting('single', 'never', 'seconds', 'How long a question of the model waits for an answer'),
  allowedHttpHookUrls: setting('list', 'never', 'a list of URL patterns', 'Where hooks of the type http may post'),
  httpHookAllowedEnvVars: setting('list', 'never', 'a list of names', 'Variables that http hooks may send in headers'),
  theme: setting('single', 'never', 'the name of a theme', 'Colours of the terminal (auto: as it answers)'),
  notify: setting(
    'single',
    'never',
    '"auto", "bell", "osc9", "osc777", "osc99" or "off"',
    'How you are told something while you look elsewhere',
  ),
  editorMode: setting('single', 'never', '"normal" or "vim"', 'Keys of the editor'),
  agentsWarnAt: setting(
    'single',
    'never',
    'a whole number above 0',
    'With more agents at work, a line says what they cost',
  ),
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
  'verbose',
  'voiceEnabled',
  'viewMode',
]);

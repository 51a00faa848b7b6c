/** The schema of a settings file. Unknown keys are valid: they are reported, not refused. */

import * as z from 'zod';
import { once } from '../../protocol/once.js';
import { PERMISSION_MODES } from '../../protocol/permission.js';

export const EFFORT_LEVELS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type EffortLevel = (typeof EFFORT_LEVELS)[number];

/** What the model sees of a skill: all, its name, nothing; `off`: nobody can use it. */
export const SKILL_OVERRIDES = ['on', 'name-only', 'user-invocable-only', 'off'] as const;
export type SkillOverride = (typeof SKILL_OVERRIDES)[number];

/** How a person is told something while they look elsewhere. `auto`: by what the terminal can. */
const NOTICE_WAYS = ['auto', 'bell', 'osc9', 'osc777', 'osc99', 'off'] as const;
export type NoticeWay = (typeof NOTICE_WAYS)[number];

/** `bubble` is only for children, never for a session. */
const SESSION_MODES = PERMISSION_MODES.filter((mode) => mode !== 'bubble');

/** Built on first use: building a hundred schemas takes time. */
export const settingsSchemas = once(() => {
  const line = z.string().refine((value) => !value.includes('\0'), 'a string without NUL characters');
  const filled = line.refine((value) => value.trim() !== '', 'a string that is not empty');
  const count = z.int().positive();
  const milliseconds = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);
  const price = z.number().nonnegative();

  /** One hook. What its type needs is checked by the gate, which names a hook that can't run. */
  const hookHandlerSchema = z
    .looseObject({ type: z.string(), command: line.optional(), timeout: z.number().positive().optional() })
    .refine((handler) => handler.type !== 'command' || (handler.command ?? '').trim() !== '', {
      path: ['command'],
      message: 'a command line',
    });

  const hooksSchema = z.record(
    z.string(),
    z.array(z.looseObject({ matcher: z.string().optional(), hooks: z.array(hookHandlerSchema) })),
  );

  const modelDataSchema = z.looseObject({
    /** US dollars per million tokens. */
    prices: z
      .looseObject({
        input: price,
        output: price,
        cacheRead: price.optional(),
        cacheWrite5m: price.optional(),
        cacheWrite1h: price.optional(),
        /** US dollars per thousand searches. */
        webSearch: price.optional(),
      })
      .optional(),
    /** Tokens. */
    context: count.optional(),
    maxOutput: count.optional(),
    cacheMinimum: z.int().nonnegative().optional(),
    keepsThinking: z.boolean().optional(),
    aliases: z.array(filled).optional(),
  });

  const environmentSchema = z.record(
    z.string().regex(/^[^=\0]+$/, 'a name without "="'),
    z.union([line, z.number(), z.boolean()]).transform(String),
  );

  /** Which servers a rule is about: by one thing, or nobody could tell what it means. */
  const serverRuleSchema = z
    .looseObject({
      serverName: filled.optional(),
      serverCommand: z.array(line).min(1).optional(),
      serverUrl: filled.optional(),
    })
    .refine(
      (rule) => [rule.serverName, rule.serverCommand, rule.serverUrl].filter((one) => one !== undefined).length === 1,
      'an object with one of serverName, serverCommand, serverUrl',
    );

  const settingsSchema = z.looseObject({
    permissions: z
      .looseObject({
        allow: z.array(filled),
        ask: z.array(filled),
        deny: z.array(filled),
        additionalDirectories: z.array(filled),
        defaultMode: z.enum(SESSION_MODES),
        disableBypassPermissionsMode: z.union([z.literal('disable'), z.boolean()]),
      })
      .partial(),
    hooks: hooksSchema,
    disableAllHooks: z.boolean(),
    env: environmentSchema,
    apiKeyHelper: filled,
    model: filled,
    fallbackModel: z.union([filled, z.array(filled)]),
    models: z.record(z.string(), modelDataSchema),
    effort: z.enum(EFFORT_LEVELS),
    alwaysThinkingEnabled: z.boolean(),
    maxOutputTokens: count,
    cacheLifetime: z.enum(['5m', '1h']),
    stallMs: milliseconds,
    cleanupPeriodDays: z.number().nonnegative(),
    statusLine: z.looseObject({
      type: z.string(),
      command: line.optional(),
      padding: z.number().nonnegative().optional(),
      refreshInterval: z.number().positive().optional(),
    }),
    outputStyle: filled,
    agents: z.record(z.string(), z.record(z.string(), z.unknown())),
    disableBuiltinAgents: z.union([z.boolean(), z.array(filled)]),
    maxConcurrentAgents: count,
    maxDepth: count,
    autoBackgroundMs: milliseconds,
    forceBackground: z.boolean(),
    handoffCheck: filled,
    resumeAgents: z.enum(['ask', 'auto']),
    subagents: z
      .looseObject({
        permissionMode: z.enum(['definition', 'inherit']),
        allowEdits: z.boolean(),
        thinking: z.boolean(),
        resultLimit: count,
      })
      .partial(),
    fork: z.looseObject({ siblings: z.enum(['all', 'own', 'auto']), warmupMs: milliseconds }).partial(),
    worktree: z
      .looseObject({
        includeDirty: z.boolean(),
        sparsePaths: z.array(filled),
        symlinkDirectories: z.array(filled),
        maxOverlayBytes: z.number().nonnegative(),
      })
      .partial(),
    sandbox: z.enum(['off', 'auto', 'required']),
    confineReads: z.enum(['auto', 'off']),
    // Each server is checked for itself when servers are found: a bad one hides no other.
    mcpServers: z.record(z.string(), z.unknown()),
    enableAllProjectMcpServers: z.boolean(),
    enabledMcpjsonServers: z.array(filled),
    disabledMcpjsonServers: z.array(filled),
    allowedMcpServers: z.array(serverRuleSchema),
    deniedMcpServers: z.array(serverRuleSchema),
    allowManagedMcpServersOnly: z.boolean(),
    mcp: z.looseObject({ waitMs: milliseconds, searchAboveTokens: z.number().nonnegative() }).partial(),
    plugins: z.array(filled),
    enabledPlugins: z.record(z.string(), z.boolean()),
    // Each is checked for itself when plugins are looked for.
    extraKnownMarketplaces: z.record(z.string(), z.unknown()),
    pluginConfigs: z.record(z.string(), z.unknown()),
    skillOverrides: z.record(z.string(), z.enum(SKILL_OVERRIDES)),
    skillListingBudgetFraction: z.number().min(0).max(1),
    agentListingBudgetFraction: z.number().min(0).max(1),
    disableSkillShellExecution: z.boolean(),
    askUserQuestionTimeout: z.number().positive(),
    allowedHttpHookUrls: z.array(filled),
    httpHookAllowedEnvVars: z.array(filled),
    theme: filled,
    notify: z.enum(NOTICE_WAYS),
    editorMode: z.enum(['normal', 'vim']),
    agentsWarnAt: count,
  });

  return {
    hookHandler: hookHandlerSchema,
    hooks: hooksSchema,
    modelData: modelDataSchema,
    serverRule: serverRuleSchema,
    settings: settingsSchema,
    file: settingsSchema.partial(),
  };
});

type Schemas = ReturnType<typeof settingsSchemas>;

export type Settings = z.infer<Schemas['file']>;
export type HooksSetting = z.infer<Schemas['hooks']>;
export type ServerRuleSetting = z.infer<Schemas['serverRule']>;
export type HookGroup = HooksSetting[string][number];

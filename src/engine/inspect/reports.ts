/** What inspecting a session tells. */

import type { EffortLevel } from '../../config/settings/setting-shapes.js';
import type { ModelData } from '../../model/models.js';
import type { CredentialSource } from '../../model/provider.js';
import type { RuleBehavior } from '../../protocol/permission.js';

export type ContextReport = {
  readonly model: string;
  /** Of the model, in tokens. */
  readonly window: number;
  /** The conversation is summarised when a request would be as large as this. */
  readonly compactsAt: number;
  /** What the next request has without what is said next. */
  readonly used: number;
  /** How much of it the API has counted, in the last request; the rest is estimated. */
  readonly counted: number;
  readonly system: number;
  /** Tools that are declared; those of servers also when they are found by a search only. */
  readonly tools: readonly ToolTokens[];
  readonly instructions: readonly { readonly path: string; readonly tokens: number }[];
  /** Kinds of agents, as the Agent tool lists them. */
  readonly agents: readonly ListedTokens[];
  /** Skills, as the Skill tool lists them. */
  readonly skills: readonly ListedTokens[];
  readonly messages: MessageTokens;
};

export type ToolTokens = {
  readonly name: string;
  readonly tokens: number;
  readonly server?: string;
  /** False: it is not in the request. */
  readonly isDeclared: boolean;
};

export type ListedTokens = {
  readonly name: string;
  readonly tokens: number;
  readonly scope: string;
  readonly file: string;
};

export type MessageTokens = {
  readonly total: number;
  readonly prompts: number;
  readonly replies: number;
  readonly calls: number;
  readonly results: number;
  /** Images and documents. */
  readonly attachments: number;
  readonly byTool: readonly { readonly name: string; readonly calls: number; readonly results: number }[];
};

export type AgentReport = {
  readonly name: string;
  readonly description: string;
  /** An alias, an id, or `inherit`. */
  readonly model: string;
  /** `built-in`, `managed`, `flag`, `project`, `user`, `plugin`. */
  readonly scope: string;
  /** Empty for a built-in one. */
  readonly file: string;
  readonly plugin?: string;
};

export type PluginReport = {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly folder: string;
  /** `flag`, `managed`, `user`, `project`, `local`. */
  readonly scope: string;
  /** What of it runs (hooks, servers, programs) counts. */
  readonly isApproved: boolean;
};

export type StyleReport = {
  readonly name: string;
  readonly description: string;
  readonly scope: string;
};

export type ModelReport = {
  /** To be given to `set-model`: an alias, or an id. `default`: what the session was opened with. */
  readonly name: string;
  readonly id: string;
  /** Tokens. */
  readonly context: number;
  readonly maxOutput: number;
  readonly thinking: ModelData['thinking'];
  /** Empty where it has none. */
  readonly efforts: readonly EffortLevel[];
  readonly prices?: ModelData['prices'];
};

export type AccountReport = {
  /** The variable or setting that the key or token comes from. `client`: a model client of the embedder's own. */
  readonly source: CredentialSource | 'none' | 'client';
  /** Without a name and password in it. */
  readonly endpoint: string;
};

/** `flag`: the command line, the library. */
export type SettingsSource = 'managed' | 'flag' | 'local' | 'project' | 'user';

export type SettingsReport = {
  /** What counts, values of variables and what looks secret masked. */
  readonly effective: Readonly<Record<string, unknown>>;
  /** What counts of each file, highest first. */
  readonly sources: readonly {
    readonly source: SettingsSource;
    readonly file: string;
    readonly settings: Readonly<Record<string, unknown>>;
  }[];
  /** What the session uses now; it may have been chosen since. */
  readonly model: string;
  readonly effort: string | undefined;
};

export type RuleReport = {
  readonly behavior: RuleBehavior;
  readonly rule: string;
  /** `session`: the person's answers. */
  readonly source: SettingsSource | 'session';
};

export type RulesReport = {
  readonly rules: readonly RuleReport[];
  /** Beside the working folder. */
  readonly folders: readonly { readonly path: string; readonly source: SettingsSource }[];
};

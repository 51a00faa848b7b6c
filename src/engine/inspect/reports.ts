/** The reports of a session for clients. */

import type { ModelData } from '../../model/models.js';
import type { CredentialSource } from '../../model/provider.js';
import type { EffortLevel } from '../../protocol/commands.js';
import type { RuleBehavior } from '../../protocol/permission.js';

export type ContextReport = {
  readonly model: string;
  /** The model's context window, in tokens. */
  readonly window: number;
  /** The conversation is compacted when a request would be this large. */
  readonly compactsAt: number;
  /** The size of the next request, without the next prompt. */
  readonly used: number;
  /** The part that the API has counted, in the last request; the rest is estimated. */
  readonly counted: number;
  readonly system: number;
  /** Declared tools, and server tools that only a search finds. */
  readonly tools: readonly ToolTokens[];
  readonly instructions: readonly { readonly path: string; readonly tokens: number }[];
  /** Agent types, as the Agent tool lists them. */
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
  /** Its active parts (hooks, servers, programs) are approved. */
  readonly isApproved: boolean;
};

export type StyleReport = {
  readonly name: string;
  readonly description: string;
  readonly scope: string;
};

export type ModelReport = {
  /** For `set-model`: an alias, or an id. `default`: the model the session was opened with. */
  readonly name: string;
  readonly id: string;
  /** Tokens. */
  readonly context: number;
  readonly maxOutput: number;
  readonly thinking: ModelData['thinking'];
  /** Empty if it has none. */
  readonly efforts: readonly EffortLevel[];
  readonly prices?: ModelData['prices'];
};

export type AccountReport = {
  /** The variable or setting that the key or token comes from. `client`: the embedder's own model client. */
  readonly source: CredentialSource | 'none' | 'client';
  /** Without user name and password. */
  readonly endpoint: string;
};

/** `flag`: the command line, the library. */
export type SettingsSource = 'managed' | 'flag' | 'local' | 'project' | 'user';

export type SettingsReport = {
  /** The values in effect; environment values and likely secrets are masked. */
  readonly effective: Readonly<Record<string, unknown>>;
  /** The part of each file that is in effect, highest first. */
  readonly sources: readonly {
    readonly source: SettingsSource;
    readonly file: string;
    readonly settings: Readonly<Record<string, unknown>>;
  }[];
  /** The model in use now; it may have been changed since. */
  readonly model: string;
  readonly effort: string | undefined;
};

export type RuleReport = {
  readonly behavior: RuleBehavior;
  readonly rule: string;
  /** `session`: your answers. */
  readonly source: SettingsSource | 'session';
  /** What an allow rule means beyond its words: "lets any program run". */
  readonly effect?: string;
};

export type RulesReport = {
  readonly rules: readonly RuleReport[];
  /** In addition to the working folder. */
  readonly folders: readonly { readonly path: string; readonly source: SettingsSource }[];
};

export function sumTokens(list: readonly { readonly tokens: number }[]): number {
  return list.reduce((total, { tokens }) => total + tokens, 0);
}

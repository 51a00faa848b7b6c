/** A kind of agent, as parsed from a definition file, with defaults filled in. */

import type { MemoryScope } from '../../protocol/agent-spawned.js';
import type { EffortLevel } from '../../protocol/commands.js';
import type { PermissionMode } from '../../protocol/permission.js';
import type { HooksSetting } from '../settings/setting-shapes.js';

export type AgentDefinition = {
  /** `a-z0-9-`; a plugin's is `plugin:name`. */
  readonly name: string;
  /** The name as written, if it differs from `name`. Callers may use either. */
  readonly writtenName?: string;
  readonly description: string;
  readonly tools: ToolList;
  /** The only types it may spawn, from `Agent(a, b)` in `tools`. Undefined: any. */
  readonly spawns?: readonly string[];
  readonly disallowedTools: readonly string[];
  /** An alias, an id, or `inherit`. */
  readonly model: string;
  /** Undefined: the gate's default. */
  readonly permissionMode?: PermissionMode;
  readonly maxTurns: number;
  readonly skills: readonly string[];
  /** Undefined: all connected servers. */
  readonly mcpServers?: readonly AgentMcpServer[];
  readonly requiredMcpServers: readonly string[];
  readonly hooks?: HooksSetting;
  readonly memory?: MemoryScope;
  readonly background: boolean;
  readonly isolation?: 'worktree';
  readonly effort?: EffortLevel;
  readonly color?: string;
  readonly initialPrompt?: string;
  readonly omitClaudeMd: boolean;
  readonly oneShot: boolean;
  /** The system prompt: the body of the file. */
  readonly prompt: string;
  readonly source: DefinitionSource;
};

export type ToolList = 'all' | readonly string[];

export type AgentMcpServer = { readonly name: string; readonly config?: Readonly<Record<string, unknown>> };

export const DEFAULT_MAX_TURNS = 200;

type DefinitionScope = 'built-in' | 'managed' | 'flag' | 'project' | 'user' | 'plugin';

export type DefinitionSource = {
  readonly scope: DefinitionScope;
  /** A path, or `--agents`. */
  readonly file: string;
  readonly plugin?: string;
  /** False for a project definition in an untrusted folder: hooks, servers and permission mode are removed from it. */
  readonly trusted: boolean;
};

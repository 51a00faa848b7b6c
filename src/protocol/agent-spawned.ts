/** Names of agent types, and the event that starts an agent: the first record of its transcript. */

import type { PermissionMode, ToolLimits } from './permission.js';

/** Reserved: no definition file can use it. */
export const FORK_TYPE = 'fork';
/** The `origin` of a fork in its start record. */
export const FORK_ORIGIN = 'agent:builtin:fork';
/** The agent that decides for a hook. A definition file may use the same name, with another origin. */
export const HOOK_AGENT_TYPE = 'hook';
export const DEFAULT_TYPE = 'general-purpose';

/** Normalizes a type for comparison: case, spaces, `_` and `-` are ignored. */
export function normalizeType(type: string): string {
  return type.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Only the hook waits for such an agent, and it is never resumed. */
export function isHookAgent({ origin }: Pick<AgentSpawnedEvent, 'origin'>): boolean {
  return origin === `agent:built-in:${HOOK_AGENT_TYPE}`;
}

/** The complete start record: an agent can be rebuilt from it, in this process or another. */
export type AgentSpawnedEvent = {
  readonly kind: 'agent-spawned';
  readonly agent: string;
  readonly type: string;
  readonly name?: string;
  readonly description: string;
  readonly parent: string;
  /** The call of the parent that started it. */
  readonly call: string;
  readonly depth: number;
  /** The path of agents down to this one, after the id of their tree. */
  readonly chain?: string;
  /** The source of its definition: `agent:builtin:fork`, `agent:project:…`. */
  readonly origin: string;
  readonly model: string;
  readonly mode: PermissionMode;
  readonly readOnly: boolean;
  readonly background: boolean;
  readonly oneShot: boolean;
  readonly maxTurns: number;
  readonly maxUsd?: number;
  readonly cwd: string;
  readonly tools: readonly string[];
  /** The only agent types it may start; omitted: any. */
  readonly spawns?: readonly string[];
  /** Rules for single tools, from its definition. */
  readonly limits?: ToolLimits;
  readonly thinks?: boolean;
  readonly effort?: string;
  readonly fork?: ForkReference;
  /** It answers one question of the user without tools, and no other agent sees it. */
  readonly aside?: true;
  /** The folders it may work in, if they differ from the session's. */
  readonly roots?: readonly string[];
  readonly worktree?: AgentWorktree;
  readonly memory?: AgentMemory;
};

/** The calls that forks of the same reply see: all calls of the reply, or each only its own. */
export type Siblings = 'all' | 'own';

/** The parent's conversation that a fork starts with, by reference: up to a record, with a hash of its bytes. */
export type ForkReference = {
  readonly session: string;
  readonly agent: string;
  /** The last record of the parent's transcript that is included. */
  readonly upTo: number;
  readonly messages: number;
  readonly sha256: string;
  /** Omitted for a manual fork, and in older records, where a fork saw all. */
  readonly siblings?: Siblings;
  /** With `own`: the only call that remains in the last of these messages. */
  readonly call?: string;
};

/** The worktree an agent works in, shared with its descendants. */
export type AgentWorktree = {
  readonly name: string;
  /** Absolute, links resolved. */
  readonly path: string;
  /** Empty if a hook made the worktree without naming a branch. */
  readonly branch: string;
  /** The checkout it was made from: paths in the conversation before it refer to that checkout. */
  readonly from: string;
  /** Its own record in git's folder, and the git folder shared by all worktrees. Absent if a hook made it. */
  readonly git?: { readonly own: string; readonly common: string };
  /** Only these paths are checked out. */
  readonly sparse?: readonly string[];
  /** Real targets of the links we created in it: folders of the other checkout that it may read. */
  readonly links?: readonly string[];
};

/** Where an agent's notes are stored between sessions. */
export const MEMORY_SCOPES = ['user', 'project', 'local'] as const;
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

/** The note that an agent reads at its start. */
export const MEMORY_FILE = 'MEMORY.md';

/** The topic under which an agent hears of changes in its notes. */
export const MEMORY_TOPIC = 'memory';

/** The folder of an agent's notes. A fork shares its parent's. */
export type AgentMemory = {
  readonly scope: MemoryScope;
  /** Absolute, links resolved. It need not exist yet. */
  readonly folder: string;
  /** Tools that it may use in this folder only. */
  readonly tools: readonly string[];
  /** Not under version control: files get mode 0600, folders 0700. */
  readonly isPrivate: boolean;
};

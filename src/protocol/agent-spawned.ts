/** Names of kinds of agents, and the start of one as its transcript's first record has it. */

import type { PermissionMode, ToolLimits } from './permission.js';

/** Reserved: no file can describe it. */
export const FORK_TYPE = 'fork';
/** Where the definition of a fork comes from, in the record of its start. */
export const FORK_ORIGIN = 'agent:builtin:fork';
/** The agent that decides for a hook. A file can describe another of that name, of another origin. */
export const HOOK_AGENT_TYPE = 'hook';
export const DEFAULT_TYPE = 'general-purpose';

/** Types are matched without regard to case, spaces, `_` and `-`. */
export function normalizeType(type: string): string {
  return type.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Only the hook waits for it, and nobody goes on with it. */
export function isHookAgent({ origin }: Pick<AgentSpawnedEvent, 'origin'>): boolean {
  return origin === `agent:built-in:${HOOK_AGENT_TYPE}`;
}

/** Complete, so that the agent can be built from it, here or elsewhere. */
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
  /** The line of agents down to it, after an id of their tree. */
  readonly chain?: string;
  /** Where its definition came from: `agent:builtin:fork`, `agent:project:…`. */
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
  /** The only types of agents it may start; omitted: any. */
  readonly spawns?: readonly string[];
  /** Rules about single tools, from its definition. */
  readonly limits?: ToolLimits;
  readonly thinks?: boolean;
  readonly effort?: string;
  readonly fork?: ForkReference;
  /** It answers one question of the person, without tools: nobody else is told of it. */
  readonly aside?: true;
  /** The folders it may work in, where they are others than the session's. */
  readonly roots?: readonly string[];
  readonly worktree?: AgentWorktree;
  readonly memory?: AgentMemory;
};

/** What forks of one reply see of each other: all calls of the reply, or each only its own. */
export type Siblings = 'all' | 'own';

/** What a fork starts with, by reference: the parent's conversation up to a record, and a hash over its bytes. */
export type ForkReference = {
  readonly session: string;
  readonly agent: string;
  /** The last record of the parent's transcript that counts. */
  readonly upTo: number;
  readonly messages: number;
  readonly sha256: string;
  /** What it sees of its siblings. Omitted: a fork by hand, or an older one, which saw all. */
  readonly siblings?: Siblings;
  /** With `own`: the call that alone is kept of the last of these messages. */
  readonly call?: string;
};

/** The worktree an agent works in. Its descendants have the same one. */
export type AgentWorktree = {
  readonly name: string;
  /** Absolute, links resolved. */
  readonly path: string;
  /** Empty if a hook made it and told none. */
  readonly branch: string;
  /** The checkout it was made from: what the conversation before it speaks of. */
  readonly from: string;
  /** Its own record in git's folder, and the folder that all worktrees share. Absent if a hook made it. */
  readonly git?: { readonly own: string; readonly common: string };
  /** Only these paths are checked out. */
  readonly sparse?: readonly string[];
  /** Where links that we placed in it lead: folders of the other checkout that it may read. Real paths. */
  readonly links?: readonly string[];
};

/** Where an agent keeps notes across sessions. */
export const MEMORY_SCOPES = ['user', 'project', 'local'] as const;
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

/** The note that an agent is given at its start. */
export const MEMORY_FILE = 'MEMORY.md';

/** The folder an agent keeps its notes in. A fork has its parent's. */
export type AgentMemory = {
  readonly scope: MemoryScope;
  /** Absolute, links resolved. It need not exist yet. */
  readonly folder: string;
  /** Tools that it has for this folder alone. */
  readonly tools: readonly string[];
  /** Not in version control: files get mode 0600, folders 0700. */
  readonly isPrivate: boolean;
};

/** An agent as the loop sees it. The main agent and every child have this shape. */

import type { Hooks } from '../gate/hooks/hooks.js';
import type { Requester } from '../gate/requester.js';
import type { Host } from '../host/host.js';
import type { ModelData } from '../model/models.js';
import type { Prefix } from '../model/prefix.js';
import type { CacheLifetime, ModelRequest } from '../model/request.js';
import type { ThinkingWish } from '../model/thinking.js';
import type { EpochReason } from '../protocol/events.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { Emit } from '../session/emit.js';
import type { Inbox } from '../session/inbox.js';
import type { AgentState } from '../session/state/agent-state.js';
import type { FilesRead } from '../tools/files-read.js';
import type { Tool } from '../tools/tool.js';
import type { Activity } from './activity.js';
import type { Budget } from './budget.js';

export interface Agent {
  readonly id: string;
  /** The kind of agent, as its definition names it. */
  readonly type: string;
  readonly depth: number;
  /** The line of agents down to it: see agents/start/agent-path.ts. */
  readonly chain: string;
  /** The path of its transcript. */
  readonly transcript: string;
  /** The state its events say it is in. Only `emit` changes it. */
  readonly state: AgentState;
  readonly emit: Emit;
  readonly inbox: Inbox;
  /** What its next request is made with. Replaced as a whole, between turns. */
  epoch: Epoch;
  /** Pending; applied at the next safe point. */
  readonly switches: Switch[];
  readonly cacheLifetime: CacheLifetime;
  readonly maxTurns: number;
  readonly budget: Budget;
  /** The agent as the gate sees it. */
  readonly requester: Requester;
  readonly hooks: Hooks;
  readonly host: Host;
  readonly roots: readonly string[];
  readonly activity: Activity;
  /** Known to this process only: files it has read, its shell's folder, instructions it was given. */
  readonly files: FilesRead;
  readonly shell: { cwd: string };
  readonly announced: AnnouncedNames;
  /** For a fork: the parent's request that its first one repeats. */
  readonly origin: RequestReference | undefined;
  readonly beforeRetry: BeforeRetry | undefined;
  /** Why no call of it is run, where it has tools only so that its bytes are its parent's. */
  readonly refusesCalls?: string | undefined;
}

/** Awaited before a request that failed is sent again: a new fork may have to wait for a sibling then. */
export type BeforeRetry = (signal: AbortSignal) => Promise<void>;

/** What the requests of an epoch are made with. */
export type Epoch = {
  readonly model: ModelData;
  /** In the order the model is told of them. */
  readonly tools: readonly Tool[];
  /** The longest reply that is asked for. */
  readonly maxTokens: number;
  readonly prefix: Prefix;
  /** As it was chosen; undefined: the model's own. */
  readonly effort?: string | undefined;
  /** How it was asked to think; undefined: as the agent's record says. */
  readonly thinks?: ThinkingWish | undefined;
  readonly taskBudget?: number | undefined;
  /** The model that it stands in for while that one is overloaded. */
  readonly fallbackFor?: string | undefined;
  /** Why its prefix is another than before, when it is neither the model nor the tools. */
  readonly reason?: EpochReason;
  /** It is for one turn, and this is what comes back afterwards. */
  readonly base?: Epoch | undefined;
};

/** A change of mode, model or tools for an agent that may be in the middle of a turn. */
export type Switch =
  | { readonly kind: 'mode'; readonly mode: PermissionMode }
  | { readonly kind: 'epoch'; readonly next: (current: Epoch) => Epoch };

export type RequestReference = { readonly of: string; readonly request: ModelRequest };

/** Folder instructions that are part of the current history. */
export type AnnouncedNames = { generation: number; readonly names: Set<string> };

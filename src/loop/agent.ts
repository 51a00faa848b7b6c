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
  /** The agent type from its definition. */
  readonly type: string;
  readonly depth: number;
  /** The agent's ancestry: see agents/start/agent-path.ts. */
  readonly chain: string;
  /** The path of its transcript. */
  readonly transcript: string;
  /** Derived from its events; only `emit` changes it. */
  readonly state: AgentState;
  readonly emit: Emit;
  readonly inbox: Inbox;
  /** The settings of its next request. Replaced as a whole, between turns. */
  epoch: Epoch;
  /** Pending switches, applied at the next safe point. */
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
  /** In memory only: files it has read, its shell's folder, instructions already announced. */
  readonly files: FilesRead;
  readonly shell: { cwd: string };
  readonly announced: AnnouncedNames;
  /** For a fork: the parent's request, which its first request repeats. */
  readonly origin: RequestReference | undefined;
  readonly beforeRetry: BeforeRetry | undefined;
  /** Why its calls are never run. Set for agents that have tools only to share their parent's prefix. */
  readonly refusesCalls?: string | undefined;
}

/** Awaited before a failed request is retried; a new fork may have to wait for a sibling. */
export type BeforeRetry = (signal: AbortSignal) => Promise<void>;

/** The settings that all requests of an epoch share. */
export type Epoch = {
  readonly model: ModelData;
  /** In the order in which they are declared to the model. */
  readonly tools: readonly Tool[];
  /** The output limit of a reply. */
  readonly maxTokens: number;
  readonly prefix: Prefix;
  /** The chosen effort; undefined: the model's default. */
  readonly effort?: string | undefined;
  /** The requested thinking; undefined: as recorded for the agent. */
  readonly thinks?: ThinkingWish | undefined;
  readonly taskBudget?: number | undefined;
  /** The overloaded model that this one replaces for now. */
  readonly fallbackFor?: string | undefined;
  /** Why the prefix changed, if neither the model nor the tools did. */
  readonly reason?: EpochReason;
  /** For an epoch of a single turn: the epoch to return to. */
  readonly base?: Epoch | undefined;
};

/** A change of mode, model or tools, possibly requested in the middle of a turn. */
export type Switch =
  | { readonly kind: 'mode'; readonly mode: PermissionMode }
  | { readonly kind: 'epoch'; readonly next: (current: Epoch) => Epoch };

export type RequestReference = { readonly of: string; readonly request: ModelRequest };

/** Folder instructions that the current history already contains. */
export type AnnouncedNames = { generation: number; readonly names: Set<string> };

/** An agent: anything that runs the loop. The main one and every child are of this one shape. */

import type { Hooks } from '../gate/hooks/hooks.js';
import type { Host } from '../host/host.js';
import type { CacheLifetime, ModelRequest } from '../model/anthropic/body.js';
import type { Conversation } from '../model/conversation.js';
import type { ModelData } from '../model/models.js';
import type { EpochReason } from '../protocol/events.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { Usage } from '../protocol/usage.js';
import type { Emit } from '../session/emit.js';
import type { Inbox } from '../session/inbox.js';
import type { FilesRead } from '../tools/files-read.js';
import type { TodoItem, Tool } from '../tools/tool.js';
import type { Activity } from './activity.js';
import type { Budget } from './budget.js';
import type { Part } from './part.js';

export interface Agent {
  readonly id: string;
  /** The kind of agent, as its definition names it. */
  readonly type: string;
  readonly depth: number;
  /** Both change only with a new epoch. */
  model: ModelData;
  maxTokens: number;
  readonly cacheLifetime: CacheLifetime;
  readonly maxTurns: number;
  /** Replaced as a whole when a new epoch begins. */
  conversation: Conversation;
  /** Why the epoch that the next request begins is a new one; undefined within an epoch. */
  newEpoch: EpochReason | undefined;
  /** In the order the model was told of them. */
  tools: readonly Tool[];
  readonly permission: AgentPermission;
  readonly hooks: Hooks;
  readonly activity: Activity;
  readonly inbox: Inbox;
  readonly emit: Emit;
  readonly host: Host;
  readonly files: FilesRead;
  readonly shell: { cwd: string };
  readonly roots: readonly string[];
  readonly todos: { items: readonly TodoItem[] };
  /** Ids of all calls in the conversation: the API wants each but once. */
  readonly callIds: CallIds;
  /** Results of the last reply's calls that were settled before this run: they begin its first message. */
  settledCalls: readonly Part[];
  readonly budget: Budget;
  /** The request this agent's next one should repeat and add to: its own last one, or for a new fork its parent's. */
  reference: RequestReference | undefined;
  /** What the last accepted request had, in and out: where the context limit is measured from. */
  lastRequest: LastRequest;
  usage: Usage;
}

export type RequestReference = { readonly of: string; readonly parts: ModelRequest };

export type LastRequest = {
  readonly tokens: number;
  readonly messages: number;
  /** Tokens that lie in the API's cache since then. */
  readonly cached: number;
};

export const NO_REQUEST: LastRequest = { tokens: 0, messages: 0, cached: 0 };

/** Under what an agent's calls are judged. The mode can change while it runs. */
export type AgentPermission = {
  mode: PermissionMode;
  /** Nothing but what is proven to read may run, whatever mode and rules say. */
  readonly readOnly: boolean;
  /** From its definition; undefined: none. */
  readonly limits?: ToolLimits;
};

/** Rules about single tools, in the words of settings files. They narrow and never widen. */
export type ToolLimits = {
  /** Of a tool named here, only what is named. */
  readonly only: readonly string[];
  readonly never: readonly string[];
};

export interface CallIds {
  has(id: string): boolean;
  add(id: string): void;
}

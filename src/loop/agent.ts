/** An agent as the loop sees it: anything that runs the loop. The main one and every child are of this one shape. */

import type { Asker } from '../gate/asker.js';
import type { Hooks } from '../gate/hooks/hooks.js';
import type { Host } from '../host/host.js';
import type { ModelData } from '../model/models.js';
import type { Prefix } from '../model/prefix.js';
import type { CacheLifetime, ModelRequest } from '../model/request.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { Emit } from '../session/emit.js';
import type { Inbox } from '../session/inbox.js';
import type { AgentState } from '../session/state/agent-state.js';
import type { FilesRead } from '../tools/files-read.js';
import type { Tool } from '../tools/tool.js';
import type { Account } from './account.js';
import type { Activity } from './activity.js';

export interface Agent {
  readonly id: string;
  /** The kind of agent, as its definition names it. */
  readonly type: string;
  readonly depth: number;
  /** Everything its events say. Only `emit` changes it. */
  readonly state: AgentState;
  readonly emit: Emit;
  readonly inbox: Inbox;
  /** What its next request is made with. Replaced as a whole, between turns. */
  epoch: Epoch;
  /** Asked for, and taken up at the next safe point. */
  readonly switches: Switch[];
  readonly cacheLifetime: CacheLifetime;
  readonly maxTurns: number;
  readonly account: Account;
  /** How the gate sees it. */
  readonly asker: Asker;
  readonly hooks: Hooks;
  readonly host: Host;
  readonly roots: readonly string[];
  readonly activity: Activity;
  /** What only a process knows: which files it has read, where its shell stands, which instructions it was told. */
  readonly files: FilesRead;
  readonly shell: { cwd: string };
  readonly told: Told;
  /** For a fork: the parent's request that its first one repeats. */
  readonly origin: RequestReference | undefined;
}

/** What the requests of an epoch are made with. */
export type Epoch = {
  readonly model: ModelData;
  /** In the order the model is told of them. */
  readonly tools: readonly Tool[];
  /** The longest reply that is asked for. */
  readonly maxTokens: number;
  readonly prefix: Prefix;
};

/** Another mode, another model or other tools, for an agent that may be in the middle of a turn. */
export type Switch =
  | { readonly kind: 'mode'; readonly mode: PermissionMode }
  | { readonly kind: 'epoch'; readonly next: (current: Epoch) => Epoch };

export type RequestReference = { readonly of: string; readonly request: ModelRequest };

/** Instructions of folders, as far as they stand in the history of this generation. */
export type Told = { generation: number; readonly names: Set<string> };

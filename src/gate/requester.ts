/** What the gate needs to know about the agent that asks. */

import type { SyncFiles } from '../host/files.js';
import type { AgentMemory, AgentWorktree, LiveEvent } from '../protocol/events.js';
import type { PermissionMode, ToolLimits } from '../protocol/permission.js';
import type { Hooks } from './hooks/hooks.js';

export interface Requester {
  readonly id: string;
  /** The agent's type, as named by its definition. */
  readonly type: string;
  readonly depth: number;
  readonly name?: string | undefined;
  /** What it was started for, in a few words; absent for the main agent. */
  readonly task?: string | undefined;
  /** The current mode. */
  readonly mode: PermissionMode;
  /** Only calls proven to read may run, whatever mode and rules say. */
  readonly readOnly: boolean;
  /** Rules about single tools from its definition, if any. */
  readonly limits: ToolLimits | undefined;
  /** What skills grant and take away for the turn under way. */
  readonly grants?: readonly TurnGrant[];
  /** The folders it works in; the first is the working folder. */
  readonly roots: readonly string[];
  /** The worktree of ours it works in, if it does. */
  readonly worktree?: AgentWorktree | undefined;
  /** The folder of its own notes, if it has one. */
  readonly memory?: AgentMemory | undefined;
  /** It is the session's main agent. */
  readonly isMain?: boolean;
  /** It is a fork: what it asks goes to whoever its parent asks. */
  readonly bubbles?: boolean;
  /** Its folder, the base of its definition's rules. */
  readonly folder: string;
  /** The current folder of its shell. */
  readonly cwd: string;
  readonly files: SyncFiles;
  readonly hooks: Hooks;
  /** Emits an event about it to the listeners. Must not reject. */
  tell(event: LiveEvent): Promise<unknown>;
}

/** Rules of a skill, for one turn. They soften nothing: deny and ask rules and firm questions come first (EX-14). */
export type TurnGrant = {
  /** For messages: `the skill deploy`. */
  readonly source: string;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** The base of its rules about paths. */
  readonly folder: string;
  /** Of a project's skill: what it allows counts in this project only. */
  readonly project?: string;
};

/** What decides about a call of an agent, without asking anybody. */
export type JudgedAgent = Omit<Requester, 'id' | 'depth' | 'name' | 'task' | 'hooks' | 'tell'>;

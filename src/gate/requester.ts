/** The gate's view of the requesting agent. */

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
  /** A short description of its task; absent for the main agent. */
  readonly task?: string | undefined;
  /** The current mode. */
  readonly mode: PermissionMode;
  /** It has a tool that edits files; absent: that is not known. */
  readonly canEdit?: boolean;
  /** Only calls proven to read may run, regardless of mode and rules. */
  readonly readOnly: boolean;
  /** Rules for individual tools from its definition, if any. */
  readonly limits: ToolLimits | undefined;
  /** Tools that skills grant and revoke for the current turn. */
  readonly grants?: readonly TurnGrant[];
  /** The folders it works in; the first is the working folder. */
  readonly roots: readonly string[];
  /** Our worktree that it works in, if any. */
  readonly worktree?: AgentWorktree | undefined;
  /** The folder of its own notes, if it has one. */
  readonly memory?: AgentMemory | undefined;
  /** It is the session's main agent. */
  readonly isMain?: boolean;
  /** It is a fork: its questions go where its parent's go. */
  readonly bubbles?: boolean;
  /** Its folder, the base of its definition's rules. */
  readonly folder: string;
  /** The current folder of its shell. */
  readonly cwd: string;
  readonly files: SyncFiles;
  readonly hooks: Hooks;
  /** Emits an event about it to the listeners. Must not reject. */
  notify(event: LiveEvent): Promise<unknown>;
}

/** Rules of a skill, for one turn. They relax nothing: deny and ask rules and firm questions come first (EX-14). */
export type TurnGrant = {
  /** For messages: `the skill deploy`. */
  readonly source: string;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** The base of its rules about paths. */
  readonly folder: string;
  /** Set for a project's skill: its allow rules apply in this project only. */
  readonly project?: string;
};

/** The part of a requester that decides about a call without asking anybody. */
export type JudgedAgent = Omit<Requester, 'id' | 'depth' | 'name' | 'task' | 'hooks' | 'notify'> & {
  readonly hooks?: Pick<Hooks, 'guardsEdits'>;
};

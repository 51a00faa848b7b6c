/** What the gate needs to know of the agent that asks. */

import type { SyncFiles } from '../host/files.js';
import type { LiveEvent } from '../protocol/events.js';
import type { PermissionMode, ToolLimits } from '../protocol/permission.js';
import type { Hooks } from './hooks/hooks.js';

export interface Asker {
  readonly id: string;
  /** The kind of agent, as its definition names it. */
  readonly type: string;
  readonly depth: number;
  /** At this moment. */
  readonly mode: PermissionMode;
  /** Nothing but what is proven to read may run, whatever mode and rules say. */
  readonly readOnly: boolean;
  /** Rules about single tools from its definition; undefined: none. */
  readonly limits: ToolLimits | undefined;
  /** The folders it works in; the first is the working folder. */
  readonly roots: readonly string[];
  /** Its folder: the base of its definition's rules. */
  readonly folder: string;
  /** Where its shell stands at this moment. */
  readonly cwd: string;
  readonly files: SyncFiles;
  readonly hooks: Hooks;
  /** Tells the listeners something about it. Must not reject. */
  tell(event: LiveEvent): Promise<unknown>;
}

/**
 * The commands a client may send to a session. Every command is serialisable as JSON, so a client may run in this
 * process or at the other end of a pipe; `engine/commands/command-results.ts` has the result of each.
 */

import type { MemoryScope } from './agent-spawned.js';
import type { UserBlock } from './blocks.js';
import type { PermissionAnswer, PermissionMode } from './permission.js';

export const EFFORT_LEVELS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type EffortLevel = (typeof EFFORT_LEVELS)[number];

/** What a rewind restores. */
export const REWIND_SCOPES = ['both', 'conversation', 'files'] as const;
export type RewindScope = (typeof REWIND_SCOPES)[number];

export type Command =
  /** Sends a prompt to the main agent. Several with the same key are admitted once. */
  | {
      readonly type: 'prompt';
      readonly content: string | readonly UserBlock[];
      readonly key?: string;
      /** Sent unchanged: commands and file names in it are not expanded. */
      readonly attached?: readonly UserBlock[];
      /**
       * When a running agent reads it. `next`: at the next safe point; an interrupt starts a new run with it. `after`:
       * once the run has ended normally; after an interrupt, on `send-held`. Omitted: like `next`, but after an
       * interrupt it waits for the next prompt.
       */
      readonly when?: 'next' | 'after';
    }
  /**
   * Withdraws a message the user sent that no agent has read. `input`: its record. `agent`: its recipient; omitted: the
   * main agent.
   */
  | { readonly type: 'take-back'; readonly input: number; readonly agent?: string }
  /** Sends held messages: they are read at the next safe point, or start a run. */
  | { readonly type: 'send-held' }
  /**
   * Sends a message to another agent: a running one reads it between turns, one that has ended resumes in the
   * background.
   */
  | { readonly type: 'message'; readonly agent: string; readonly text: string; readonly key?: string }
  /** Answers an open question. Only the first answer is used. */
  | { readonly type: 'answer'; readonly question: string; readonly answer: PermissionAnswer }
  /**
   * Ends the current run, and children it waits for: they are interrupted and can be resumed. Background tasks
   * continue. `agent`: ends only that agent's turn.
   */
  | { readonly type: 'interrupt'; readonly agent?: string }
  | { readonly type: 'set-mode'; readonly mode: PermissionMode }
  /** Changes the model, or its effort: `low` to `max`. */
  | { readonly type: 'set-model'; readonly model?: string; readonly effort?: string }
  /** Changes thinking from the next safe point on; null: the setting the session was opened with. */
  | { readonly type: 'set-thinking'; readonly thinking: ThinkingChoice | null }
  /** Starts a child with the whole conversation so far. */
  | {
      readonly type: 'fork';
      readonly directive: string;
      readonly name?: string;
      readonly description?: string;
      /** Returns once it has started; a notice delivers its result. */
      readonly background?: boolean;
      /** Works in its own checkout. */
      readonly isolation?: 'worktree';
    }
  /**
   * Asks a side question: a fork answers from the conversation so far, without tools, while the main agent continues.
   * `interrupt` with its id ends it.
   */
  | { readonly type: 'ask-aside'; readonly question: string }
  /**
   * Lets the user steer a running child: after each turn it pauses for them, in the background, until it is handed
   * back.
   */
  | { readonly type: 'take-over'; readonly agent: string }
  | { readonly type: 'hand-back'; readonly agent: string }
  /** Resumes an agent that was interrupted or has ended. */
  | { readonly type: 'resume-agent'; readonly agent: string; readonly words?: string }
  | { readonly type: 'stop-task'; readonly task: string }
  /**
   * Moves children and commands that are being waited for to the background: a child by its id, either by the call that
   * waits for it, or all.
   */
  | { readonly type: 'to-background'; readonly agent?: string; readonly call?: string }
  /**
   * Rewinds to before one of the user's prompts: `to` is its number, from 1, or the id of its message. Files that
   * others changed since are left alone unless named. `dryRun`: only reports the effect.
   */
  | {
      readonly type: 'rewind';
      readonly to: number | string;
      readonly part: RewindScope;
      readonly overwrite?: readonly string[];
      readonly dryRun?: boolean;
    }
  /** Lists the prompts that can be rewound to, with the time of each and the changes since. */
  | { readonly type: 'prompts' }
  /** Gives the session a display name. */
  | { readonly type: 'rename'; readonly name: string }
  /** Replaces the conversation with a summary now. */
  | { readonly type: 'compact'; readonly instructions?: string }
  /** Starts the conversation over, in the same session. The earlier one stays on disk. */
  | { readonly type: 'clear' }
  /** Copies the session into a new one, which can then be resumed. `name` becomes its id. */
  | { readonly type: 'branch'; readonly name?: string }
  /** Lists the worktrees of the session's repository, with the work in each. */
  | { readonly type: 'worktrees' }
  /**
   * Merges an agent's work from its worktree into the session's checkout, completely or not at all. `worktree`: its
   * name, or its agent's id, id prefix or name.
   */
  | { readonly type: 'apply-worktree'; readonly worktree: string }
  /**
   * Shows an agent's work in its worktree, named as above; without one, the uncommitted changes in the session's
   * checkout.
   */
  | { readonly type: 'diff'; readonly worktree?: string; readonly stat?: boolean }
  /** Returns the results of agents, by id: each one's final text, and the files it changed. */
  | { readonly type: 'agent-work'; readonly agents: readonly string[] }
  /** Removes a worktree; one that contains work only with `discard`. */
  | { readonly type: 'remove-worktree'; readonly worktree: string; readonly discard?: boolean }
  /** Lists the memory of agents: its size, and its status against the team's snapshot. */
  | { readonly type: 'memory' }
  /** Shows the files of one memory, or one file of it. `memory`: its agent, or the name of its folder. */
  | { readonly type: 'show-memory'; readonly memory: string; readonly scope?: MemoryScope; readonly file?: string }
  /** Shows how it differs from the team's snapshot. */
  | { readonly type: 'diff-memory'; readonly memory: string; readonly scope?: MemoryScope }
  /** Lists the backups that can be restored. */
  | { readonly type: 'memory-backups'; readonly memory: string; readonly scope?: MemoryScope }
  /** Takes, merges or declines the team's snapshot, publishes a new one, or restores a backup. */
  | {
      readonly type: 'change-memory';
      readonly memory: string;
      readonly how: 'take' | 'merge' | 'publish' | 'decline' | 'roll-back';
      readonly scope?: MemoryScope;
      /** With `publish`: also overwrites a snapshot that was neither taken nor declined. */
      readonly force?: boolean;
      /** With `roll-back`: the name of a backup; the newest if omitted. */
      readonly to?: string;
    }
  /**
   * Lists the MCP servers with their status. `wait`: once none is still connecting. `details`: with details of each.
   */
  | { readonly type: 'servers'; readonly wait?: boolean; readonly details?: boolean }
  /** Reconnects one server, or all. */
  | { readonly type: 'reconnect-servers'; readonly server?: string }
  /** Turns a server off or on in this session, from the next prompt on. */
  | { readonly type: 'toggle-server'; readonly server: string; readonly enabled: boolean }
  /**
   * Sets servers, as the option `mcpServers` does, replacing those of an earlier `set-servers` and the objects of that
   * option. Other servers stay unless one of the same name is given. Their tools are available from the next prompt on.
   */
  | { readonly type: 'set-servers'; readonly servers: Readonly<Record<string, unknown>> }
  /** Reads a resource of a connected server for the client; the model does not see it. */
  | { readonly type: 'read-resource'; readonly server: string; readonly uri: string }
  /** Lists the prompts that servers offer, sent as `/mcp__server__prompt arguments`. */
  | { readonly type: 'server-prompts' }
  /**
   * Lists skills and commands, sent as `/name arguments`. `fresh`: reloads the files, with effect from the next prompt
   * on.
   */
  | { readonly type: 'skills'; readonly fresh?: boolean }
  /** Lists the agent types that the main agent may start. `fresh`: reloads the files. */
  | { readonly type: 'agents'; readonly fresh?: boolean }
  /** Lists the plugins of the session. `fresh`: rereads which ones the settings name. */
  | { readonly type: 'plugins'; readonly fresh?: boolean }
  /** Lists the output styles, read from their files, and the one in use. */
  | { readonly type: 'output-styles' }
  /** Lists the models that have names here. */
  | { readonly type: 'models' }
  /** Returns how the session is signed in to the API: the source of the key, never the key. */
  | { readonly type: 'account' }
  /** Breaks down the use of the context window. */
  | { readonly type: 'context' }
  /** Returns the settings as the files are now, without secrets, and the values in use. */
  | { readonly type: 'settings' }
  /**
   * Changes settings. Objects are merged, lists replaced, null removes a key. Model, effort, new rules and display
   * settings take effect at once, the rest at the next start.
   */
  | {
      readonly type: 'change-settings';
      /** `local`: the project's settings that are not shared. */
      readonly source: 'user' | 'local';
      readonly settings: Readonly<Record<string, unknown>>;
    }
  /** Lists the permission rules of the session, and the additional folders it may work in. */
  | { readonly type: 'permission-rules' }
  /** Returns the end of a task's output. */
  | { readonly type: 'task-output'; readonly task: string }
  /** Reads a file of the session's folders, if the rules allow it. Defaults: `utf-8`, 10 MB. */
  | {
      readonly type: 'read-file';
      readonly path: string;
      readonly maxBytes?: number;
      readonly encoding?: 'utf-8' | 'base64';
    }
  /** Returns facts that are not part of the session's state: version, agents, plugins, effort, source of the key. */
  | { readonly type: 'facts' }
  /**
   * Runs a tool of the main agent without a model. Hooks, rules and records apply as for any call, but it is not part
   * of the conversation. `call`: a new id, chosen by the client.
   */
  | { readonly type: 'call-tool'; readonly call: string; readonly tool: string; readonly input: unknown }
  /** Ends such a call, and the child it waits for. */
  | { readonly type: 'cancel-call'; readonly call: string }
  /**
   * Runs a command line that the user typed (`!`). No permission is asked for, but deny rules apply. Its output joins
   * the conversation at the next safe point, or with the next prompt, and starts no run. `call`: as with `call-tool`;
   * `cancel-call` ends it.
   */
  | { readonly type: 'shell'; readonly call: string; readonly command: string }
  /** Adds a line to an instruction file (`#`), or to the notes of the agent that the session runs as. */
  | {
      readonly type: 'remember';
      readonly text: string;
      readonly where: 'project' | 'local' | 'user' | 'agent';
    }
  /**
   * Lists the files of the session's folder, for completion. `fresh`: waits for a new scan; otherwise one starts in the
   * background.
   */
  | { readonly type: 'list-files'; readonly fresh?: boolean }
  /** Runs the `Notification` hooks for a notification the user got while away. `about`: the value hooks match. */
  | {
      readonly type: 'notify';
      readonly message: string;
      readonly title?: string;
      readonly about: 'permission_prompt' | 'idle_prompt' | 'elicitation_dialog';
    }
  /** Closes the session: running agents are interrupted and can be resumed. */
  | { readonly type: 'close'; readonly reason?: string };

export type CommandOf<T extends Command['type']> = Extract<Command, { readonly type: T }>;

/**
 * How a model is to think; what a model makes of it is in `model/thinking.ts`. `enabled` with a budget, where a model takes one; otherwise like
 * `adaptive`.
 */
export type ThinkingChoice = {
  readonly type: 'adaptive' | 'enabled' | 'disabled';
  readonly budgetTokens?: number;
  /** Whether what the model thinks is shown. */
  readonly display?: 'summarized' | 'omitted';
};

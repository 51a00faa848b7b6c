/**
 * What a client may ask of a session. Every command can be written as JSON, so that a client may be in this process or
 * at the other end of a pipe; what it returns depends on its type (`engine/commands/command-results.ts`).
 */

import type { MemoryScope } from './agent-spawned.js';
import type { UserBlock } from './blocks.js';
import type { PermissionAnswer, PermissionMode } from './permission.js';
import type { ThinkingChoice } from './thinking.js';

export type Command =
  /** Says something to the main agent. Under the same key it is admitted once. */
  | {
      readonly type: 'prompt';
      readonly content: string | readonly UserBlock[];
      readonly key?: string;
      /** Sent along as it is: nothing in it is taken for a command or the name of a file. */
      readonly attached?: readonly UserBlock[];
      /**
       * While the agent works. `next`: it is read at the next safe point, and an interrupt makes a new run of it. `after`: it
       * is held until the run has ended by itself; after an interrupt, until `send-held`. Omitted: as `next`, but an
       * interrupt leaves it for the next prompt.
       */
      readonly when?: 'next' | 'after';
    }
  /** Takes back what the person sent and nobody has read. `input`: its record. `agent`: whose it is; omitted: the main agent. */
  | { readonly type: 'take-back'; readonly input: number; readonly agent?: string }
  /** Sends what is held: it is read at the next safe point, or begins a run. */
  | { readonly type: 'send-held' }
  /** Writes to another agent: one at work reads it between its turns, one that has ended goes on in the background. */
  | { readonly type: 'message'; readonly agent: string; readonly text: string; readonly key?: string }
  /** Answers an open question. The first answer counts. */
  | { readonly type: 'answer'; readonly question: string; readonly answer: PermissionAnswer }
  /**
   * Ends the work under way, and children that are waited for: they are interrupted and can be resumed. Background tasks go
   * on. `agent`: ends the turn of that one only.
   */
  | { readonly type: 'interrupt'; readonly agent?: string }
  | { readonly type: 'set-mode'; readonly mode: PermissionMode }
  /** Another model, or how hard it thinks: `low` to `max`. */
  | { readonly type: 'set-model'; readonly model?: string; readonly effort?: string }
  /** Another way to think, from the next safe point on; null: as the session was opened with. */
  | { readonly type: 'set-thinking'; readonly thinking: ThinkingChoice | null }
  /** Starts a child with the whole conversation so far. */
  | {
      readonly type: 'fork';
      readonly directive: string;
      readonly name?: string;
      readonly description?: string;
      /** Returns once it has started; a notice brings its result. */
      readonly background?: boolean;
      /** In a checkout of its own. */
      readonly isolation?: 'worktree';
    }
  /**
   * Asks something beside the conversation: a fork answers from what is known, while the main agent goes on; no tool is run.
   * `interrupt` with its id ends it.
   */
  | { readonly type: 'ask-aside'; readonly question: string }
  /** The person talks to a child at work: after each turn it waits for them, in the background, until it is handed back. */
  | { readonly type: 'take-over'; readonly agent: string }
  | { readonly type: 'hand-back'; readonly agent: string }
  /** Goes on with an agent that was interrupted or has ended. */
  | { readonly type: 'resume-agent'; readonly agent: string; readonly words?: string }
  | { readonly type: 'stop-task'; readonly task: string }
  /**
   * Lets children and commands that are waited for go on in the background: a child by its id, one of either by the call
   * that waits for it, or all.
   */
  | { readonly type: 'to-background'; readonly agent?: string; readonly call?: string }
  /**
   * Goes back to before one of the person's prompts: `to` is its number, counted from 1, or the id of its message. Files that
   * others changed since are left alone unless named. `dryRun`: only says what would be done.
   */
  | {
      readonly type: 'rewind';
      readonly to: number | string;
      readonly part: 'both' | 'conversation' | 'files';
      readonly overwrite?: readonly string[];
      readonly dryRun?: boolean;
    }
  /** The prompts that can be gone back to, with when each was sent and what has happened since. */
  | { readonly type: 'prompts' }
  /** Gives the session a name for people. */
  | { readonly type: 'rename'; readonly name: string }
  /** Replaces the conversation by a summary now. */
  | { readonly type: 'compact'; readonly instructions?: string }
  /** Starts the conversation again, in the same session. What was said stays on disk. */
  | { readonly type: 'clear' }
  /** Copies the session into a new one, which can then be resumed. `name` becomes its id. */
  | { readonly type: 'branch'; readonly name?: string }
  /** Lists the worktrees of the session's repository, with what is in them. */
  | { readonly type: 'worktrees' }
  /**
   * Brings what an agent made in its worktree into the session's checkout. `worktree`: its name, or its agent's id, the
   * beginning of that, or name. All of it arrives, or nothing changes.
   */
  | { readonly type: 'apply-worktree'; readonly worktree: string }
  /** What an agent made in its worktree, named as above; without one, what is not committed in the session's checkout. */
  | { readonly type: 'diff'; readonly worktree?: string; readonly stat?: boolean }
  /** What agents came to, by their ids: the words each ended with, and the files it changed. */
  | { readonly type: 'agent-work'; readonly agents: readonly string[] }
  /** Removes a worktree; one with work in it only with `discard`. */
  | { readonly type: 'remove-worktree'; readonly worktree: string; readonly discard?: boolean }
  /** Lists the memory of agents: how much is in it, and how it stands to the team's snapshot. */
  | { readonly type: 'memory' }
  /** The texts of one: all its files, or one. `memory`: its agent, or its folder's name. */
  | { readonly type: 'show-memory'; readonly memory: string; readonly scope?: MemoryScope; readonly file?: string }
  /** How it differs from the team's snapshot. */
  | { readonly type: 'diff-memory'; readonly memory: string; readonly scope?: MemoryScope }
  /** What can be gone back to. */
  | { readonly type: 'memory-backups'; readonly memory: string; readonly scope?: MemoryScope }
  /** Takes, merges or declines the team's snapshot, makes a new one of mine, or goes back to a backup. */
  | {
      readonly type: 'change-memory';
      readonly memory: string;
      readonly how: 'take' | 'merge' | 'publish' | 'decline' | 'roll-back';
      readonly scope?: MemoryScope;
      /** With `publish`: also over a snapshot that was neither taken nor declined. */
      readonly force?: boolean;
      /** With `roll-back`: the name of a backup; the newest if omitted. */
      readonly to?: string;
    }
  /** The MCP servers and how they stand. `wait`: once none of them is connecting any more. `details`: what each is. */
  | { readonly type: 'servers'; readonly wait?: boolean; readonly details?: boolean }
  /** Connects one, or all, from the beginning. */
  | { readonly type: 'reconnect-servers'; readonly server?: string }
  /** Switches one off, or on again, in this session: from the next prompt on its tools are gone, or there. */
  | { readonly type: 'toggle-server'; readonly server: string; readonly enabled: boolean }
  /**
   * Gives servers, as the option `mcpServers` does, in place of those of an earlier `set-servers` and of the objects that
   * option had. Others stay, unless one of the same name is given. Their tools count from the next prompt on.
   */
  | { readonly type: 'set-servers'; readonly servers: Readonly<Record<string, unknown>> }
  /** Reads a resource of a connected server, for the client: the model sees nothing of it. */
  | { readonly type: 'read-resource'; readonly server: string; readonly uri: string }
  /** What servers offer as prompts, to be sent as `/mcp__server__prompt words`. */
  | { readonly type: 'server-prompts' }
  /** Skills and commands, to be sent as `/name words`. `fresh`: as the files are now, which counts from the next prompt on. */
  | { readonly type: 'skills'; readonly fresh?: boolean }
  /** The kinds of agents that the main agent may start. `fresh`: as the files are now. */
  | { readonly type: 'agents'; readonly fresh?: boolean }
  /** The plugins of the session. `fresh`: also which ones the settings name by now, or no longer. */
  | { readonly type: 'plugins'; readonly fresh?: boolean }
  /** The output styles as the files are now, and the one in use. */
  | { readonly type: 'output-styles' }
  /** The models that have names here. */
  | { readonly type: 'models' }
  /** With what the session is signed in to the API: where a key comes from, never the key. */
  | { readonly type: 'account' }
  /** What takes up the context window, by parts. */
  | { readonly type: 'context' }
  /** The settings as the files are now, without secrets, and what the session uses. */
  | { readonly type: 'settings' }
  /**
   * Writes the person's settings. Objects are merged, lists replaced, a value of null takes a key out. Model, effort,
   * new rules and what a screen uses count at once, the rest from the next start on.
   */
  | {
      readonly type: 'change-settings';
      /** `local`: those of the project that are not shared. */
      readonly source: 'user' | 'local';
      readonly settings: Readonly<Record<string, unknown>>;
    }
  /** The permission rules of the session, and the folders it may work in beside its own. */
  | { readonly type: 'permission-rules' }
  /** The end of what a task has printed. */
  | { readonly type: 'task-output'; readonly task: string }
  /** A file of the session's folders, as far as the rules let it be read. `utf-8` and 10 MB if nothing is said. */
  | {
      readonly type: 'read-file';
      readonly path: string;
      readonly maxBytes?: number;
      readonly encoding?: 'utf-8' | 'base64';
    }
  /** What the session is beside its state: version, agents, plugins, effort, where its key is from. */
  | { readonly type: 'facts' }
  /**
   * Runs a tool of the main agent without a model: hooks, rules and records are those of any call, but it is no part of
   * the conversation. `call`: an id of the client's choice, not used before.
   */
  | { readonly type: 'call-tool'; readonly call: string; readonly tool: string; readonly input: unknown }
  /** Ends such a call, and the child it waits for. */
  | { readonly type: 'cancel-call'; readonly call: string }
  /**
   * Runs a command line that the person typed (`!`). It is their word, so nothing is asked; what a rule denies stays denied.
   * What it prints joins the conversation at the next safe point, or with the next prompt, and wakes nobody. `call`: as with
   * `call-tool`; `cancel-call` ends it.
   */
  | { readonly type: 'shell'; readonly call: string; readonly command: string }
  /** Adds a line to a file of instructions (`#`), or to the notes of the agent that the session runs as. */
  | {
      readonly type: 'remember';
      readonly text: string;
      readonly where: 'project' | 'local' | 'user' | 'agent';
    }
  /** The files of the session's folder, for completion. `fresh`: looked for again first; otherwise that goes on meanwhile. */
  | { readonly type: 'list-files'; readonly fresh?: boolean }
  /** Runs the hooks of `Notification`: the person was told something while they looked elsewhere. `about`: what hooks match. */
  | {
      readonly type: 'notify';
      readonly message: string;
      readonly title?: string;
      readonly about: 'permission_prompt' | 'idle_prompt' | 'elicitation_dialog';
    }
  /** Leaves the session: agents that run are interrupted and can be resumed. */
  | { readonly type: 'close'; readonly reason?: string };

export type CommandOf<T extends Command['type']> = Extract<Command, { readonly type: T }>;

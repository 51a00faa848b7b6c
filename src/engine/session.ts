/** A session: one conversation with a person, its agents and its state on disk. */

import type { AgentResult } from '../agents/run/result.js';
import type { AgentSnapshot } from '../agents/snapshot.js';
import type { Task } from '../agents/tools/list-tasks.js';
import type { RunEnd } from '../loop/run-loop.js';
import type { ModelOverrides } from '../model/models.js';
import type { UserBlock } from '../protocol/blocks.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { Listener } from '../session/emit.js';
import type { RewindRequest, Rewound } from '../session/files/rewind.js';
import type { RecordedPrompt } from '../session/state/restored.js';
import type { Tool } from '../tools/tool.js';

export interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly model: string;
  readonly transcript: string;
  readonly tools: readonly Tool[];
  readonly mode: PermissionMode;
  /** Model data that settings changed, for whoever adds up money. */
  readonly models: ModelOverrides;
  /** Things to know that came up while opening. */
  readonly warnings: readonly string[];
  /** Sees everything that happens from now on; answers how to stop watching. */
  watch(watcher: Listener): () => void;
  /**
   * Says something to the agent and lets it work until it is done. While it works already, the words reach it at its
   * next safe point, and the promise is that of the work under way. Never rejects: what went wrong is in the result.
   */
  send(prompt: string | readonly UserBlock[]): Promise<RunEnd>;
  /**
   * Resolves when nothing is under way any more: no work of the main agent, no task in the background. Notices of
   * tasks that end meanwhile wake the main agent. After `waitMs` the rest is stopped. The end is that of the last work.
   */
  settled(waitMs?: number): Promise<Settled>;
  /** Starts a child with the whole conversation so far, and resolves with what it came to. */
  fork(directive: string, options?: ForkOptions): Promise<AgentResult>;
  /** What runs or ran in the background. */
  tasks(): readonly Task[];
  /** Lets children that are waited for go on in the background: one, or all. Answers how many. */
  toBackground(agentId?: string): number;
  /** Every agent of the session as it stands now. */
  snapshot(): readonly AgentSnapshot[];
  /** Ends the work under way within a second and leaves a conversation that can go on. Background tasks go on. */
  interrupt(): void;
  setMode(mode: PermissionMode): Promise<void>;
  /** From the next request on. Starts a new epoch: the cache belongs to a model. */
  setModel(model: string): Promise<void>;
  /**
   * More tools, from the person's next words on: never within a run. A new epoch, because tools are the first bytes of
   * a request: the conversation is paid for once more. One of a known name replaces that tool.
   */
  addTools(tools: readonly Tool[]): void;
  /** What the person said so far, as far as it counts. */
  prompts(): Promise<readonly RecordedPrompt[]>;
  /** Goes back to before a prompt: the conversation, the files, or both. Refused while something works. */
  rewind(request: RewindRequest): Promise<Rewound>;
  /** Goes on with an agent that was interrupted or has ended, on the person's word. Answers why not, if not. */
  resumeAgent(agentId: string, words?: string): Promise<string | undefined>;
  /** Leaves the session: agents that run are interrupted and can be resumed; no process stays behind. */
  close(reason?: string): Promise<void>;
}

export type ForkOptions = { readonly name?: string; readonly description?: string };

export type Settled = {
  /** Undefined when nothing had been under way. */
  readonly end: RunEnd | undefined;
  /** Tasks that had to be stopped because the time was up. */
  readonly stopped: readonly string[];
};

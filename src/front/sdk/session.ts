/** A session as a library user sees it: one conversation with a person, its agents and its state on disk. */

import type { AgentResult } from '../../agents/run/result.js';
import type { Task } from '../../agents/tools/list-tasks.js';
import type { CommandResult } from '../../engine/command-results.js';
import type { Client, Engine } from '../../engine/engine.js';
import { execute } from '../../engine/execute.js';
import type { Settled } from '../../engine/settled.js';
import type { RunEnd } from '../../loop/run-loop.js';
import type { ModelOverrides } from '../../model/models.js';
import type { UserBlock } from '../../protocol/blocks.js';
import type { Command } from '../../protocol/commands.js';
import type { Listener } from '../../protocol/events.js';
import type { PermissionMode, PermissionQuestion } from '../../protocol/permission.js';
import type { RewindRequest, Rewound } from '../../session/files/rewind.js';
import type { RecordedPrompt } from '../../session/state/agent-state.js';
import type { Tool } from '../../tools/tool.js';
import { createView } from '../view/session-view.js';
import { type AgentSnapshot, snapshots } from '../view/snapshots.js';

export interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly model: string;
  readonly transcript: string;
  readonly tools: readonly Tool[];
  readonly mode: PermissionMode;
  /** Model data that settings changed, for adding up money. */
  readonly models: ModelOverrides;
  /** Things to know that came up while opening. */
  readonly warnings: readonly string[];
  /** Every command there is, as data. The methods below are shorthands for the common ones. None rejects. */
  execute<C extends Command>(command: C): Promise<CommandResult<C>>;
  /** Attaches a client, beside those that are there; returns how to leave. */
  attach(client: Client): () => void;
  /** Sees everything that happens from now on; returns how to stop. */
  watch(listener: Listener): () => void;
  /** Questions that wait for an answer, oldest first. */
  questions(): readonly PermissionQuestion[];
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
  /** Lets children that are waited for go on in the background: one, or all. Returns how many. */
  toBackground(agentId?: string): number;
  /** Every agent of the session as it stands now. */
  snapshot(): readonly AgentSnapshot[];
  /** Ends the work under way within a second and leaves a conversation that can go on. Background tasks go on. */
  interrupt(): void;
  /** From the next safe point on, between turns; at once when nothing works. */
  setMode(mode: PermissionMode): Promise<void>;
  /** From the next safe point on. Starts a new epoch: the cache belongs to a model. */
  setModel(model: string): Promise<void>;
  /**
   * More tools, from the person's next words on: never within a run. A new epoch, because tools are the first bytes of
   * a request: the conversation is paid for once more. One of a known name replaces that tool.
   */
  addTools(tools: readonly Tool[]): void;
  /** What the person said so far, as far as it counts. */
  prompts(): Promise<readonly RecordedPrompt[]>;
  /** Goes back to before a prompt: the conversation, the files, or both. Refused while something works. */
  rewind(request: RewindOptions): Promise<Rewound>;
  /** Goes on with an agent that was interrupted or has ended, on the person's word. Returns why not, if not. */
  resumeAgent(agentId: string, words?: string): Promise<string | undefined>;
  /** Leaves the session: agents that run are interrupted and can be resumed; no process stays behind. Never rejects. */
  close(reason?: string): Promise<void>;
}

export type ForkOptions = { readonly name?: string; readonly description?: string };

export type RewindOptions = RewindRequest & {
  /** Asked about each file that somebody else has changed since; omitted: such files are left alone. */
  readonly mayOverwrite?: (path: string) => Promise<boolean>;
};

export function createSessionOf(engine: Engine): Session {
  const { runtime, driver } = engine;
  const { clock } = runtime.host;
  const view = createView({ main: { model: engine.model, folder: runtime.host.folder, mode: engine.mode } });
  const run = <C extends Command>(command: C) => execute(engine, command);
  engine.attach({ onEvent: (event) => view.apply(event, clock.elapsed()) });
  return {
    id: runtime.session,
    cwd: runtime.host.folder,
    get model() {
      return engine.model;
    },
    transcript: runtime.layout.file,
    get tools() {
      return engine.tools;
    },
    get mode() {
      return engine.mode;
    },
    models: runtime.models,
    warnings: engine.warnings,
    execute: run,
    attach: (client) => engine.attach(client),
    watch: (onEvent) => engine.attach({ onEvent }),
    questions: () => engine.questions(),
    send: (content) => run({ type: 'prompt', content }),
    settled: (waitMs) => engine.settled(waitMs),
    fork: (directive, options = {}) => run({ type: 'fork', directive, ...options }),
    tasks: () => engine.tasks(),
    toBackground: (agent) => engine.toBackground(agent),
    snapshot: () => snapshots(view, clock.elapsed(), runtime.models),
    interrupt: () => driver.interrupt(),
    setMode: async (mode) => must(await run({ type: 'set-mode', mode })),
    setModel: async (model) => must(await run({ type: 'set-model', model })),
    addTools: (tools) => engine.addTools(tools),
    prompts: async () => engine.prompts(),
    rewind: async ({ mayOverwrite, ...request }) => {
      const overwrite = [...(request.overwrite ?? [])];
      for (const path of mayOverwrite === undefined ? [] : await engine.rewindConflicts(request.to)) {
        if (await mayOverwrite?.(path)) overwrite.push(path);
      }
      return run({ type: 'rewind', ...request, overwrite });
    },
    resumeAgent: async (agent, words) => {
      const done = await run({ type: 'resume-agent', agent, ...(words === undefined ? {} : { words }) });
      return done.ok ? undefined : done.reason;
    },
    close: async (reason) => void (await engine.close(reason)),
  };
}

/** A switch that could not be put on record did not happen. */
function must(done: { readonly ok: boolean; readonly reason?: string }): void {
  if (!done.ok) throw new Error(done.reason);
}

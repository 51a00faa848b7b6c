/** Events that only current listeners see: they are not on disk. */

import type { AgentSpawned, DurableEventOf } from './durable-event.js';
import type { PermissionQuestion } from './permission.js';
import type { Usage } from './usage.js';

export type LiveEvent =
  | { readonly kind: 'request-sent'; readonly turn: number; readonly bytes: number }
  /** Invalidates the output that an earlier response of this turn streamed. */
  | {
      readonly kind: 'response-began';
      readonly turn: number;
      readonly response: string;
      readonly model: string;
      readonly usage: Usage;
    }
  /** Precedes everything that is streamed of the block. Blocks are numbered from 0 without gaps. */
  | { readonly kind: 'block-began'; readonly index: number; readonly block: BegunBlock }
  | { readonly kind: 'text-streamed'; readonly index: number; readonly text: string }
  | { readonly kind: 'thinking-streamed'; readonly index: number; readonly text: string }
  | { readonly kind: 'call-streamed'; readonly index: number; readonly name: string; readonly json: string }
  /** `signature`: of thinking. */
  | { readonly kind: 'block-finished'; readonly index: number; readonly signature?: string }
  /** The agent's model is overloaded: another one is used until its run ends. A `fault-met` shows the same line. */
  | {
      readonly kind: 'model-fallback';
      readonly from: string;
      readonly to: string;
      readonly reason: 'overloaded';
      readonly line: string;
    }
  /** A summary was requested; `history-compacted` follows when it is there. */
  | { readonly kind: 'compaction-began'; readonly trigger: DurableEventOf<'history-compacted'>['trigger'] }
  /** The summary failed. */
  | { readonly kind: 'compaction-failed'; readonly reason: string }
  | { readonly kind: 'call-started'; readonly call: string; readonly tool: string; readonly input: unknown }
  /** An agent of an earlier process was restored: its start record, and its usage so far. */
  | {
      readonly kind: 'agent-resumed';
      readonly agent: string;
      readonly parent: string;
      readonly call: string;
      readonly spawned: AgentSpawned;
      readonly usage: Usage;
    }
  /** A child whose start could not be recorded: it never ran, and listeners should forget it. */
  | { readonly kind: 'agent-dropped'; readonly reason: string }
  /** The agent is waiting for a slot. */
  | { readonly kind: 'agent-queued' }
  /** A question with everything needed to show and answer it. Any attached client may answer. */
  | {
      readonly kind: 'question-asked';
      readonly call: string;
      readonly tool: string;
      readonly question: PermissionQuestion;
    }
  /** Answered by the first client to do so, or withdrawn. */
  | {
      readonly kind: 'question-settled';
      readonly call: string;
      readonly question: string;
      readonly behavior: 'allow' | 'deny';
    }
  /**
   * The tool's response, in a shape of `tool-responses.ts`: sent just before the call is finished, in sessions that ask
   * for it.
   */
  | { readonly kind: 'call-answered'; readonly call: string; readonly response: unknown }
  /** A hook runs, in sessions that ask for it. `run`: the id of this run; `name`: its event, with the matched value. */
  | { readonly kind: 'hook-began'; readonly run: string; readonly event: string; readonly name: string }
  | ({ readonly kind: 'hook-finished'; readonly run: string; readonly event: string; readonly name: string } & HookEnd)
  | { readonly kind: 'call-progressed'; readonly call: string; readonly line: string }
  /** A line for the user that is not part of a message. */
  | { readonly kind: 'line-shown'; readonly level: 'info' | 'warning' | 'error'; readonly line: string };

/** A block before any of its content has been streamed. */
export type BegunBlock =
  | { readonly type: 'text' }
  | { readonly type: 'thinking' }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string };

export type HookEnd = {
  readonly outcome: 'success' | 'error' | 'cancelled';
  readonly stdout: string;
  readonly stderr: string;
  /** Set if it is a command that exited normally. */
  readonly exitCode?: number;
};

/** Events that only current listeners see: nothing of them is on disk. */

import type { AgentSpawned, DurableEventOf } from './durable-event.js';
import type { PermissionQuestion } from './permission.js';
import type { Usage } from './usage.js';

export type LiveEvent =
  | { readonly kind: 'request-sent'; readonly turn: number; readonly bytes: number }
  /** What an earlier response of this turn streamed does not count any more. */
  | {
      readonly kind: 'response-began';
      readonly turn: number;
      readonly response: string;
      readonly model: string;
      readonly usage: Usage;
    }
  /** Comes before everything that is streamed of the block. Blocks are numbered from 0 without a gap. */
  | { readonly kind: 'block-began'; readonly index: number; readonly block: BegunBlock }
  | { readonly kind: 'text-streamed'; readonly index: number; readonly text: string }
  | { readonly kind: 'thinking-streamed'; readonly index: number; readonly text: string }
  | { readonly kind: 'call-streamed'; readonly index: number; readonly name: string; readonly json: string }
  /** The agent's model is overloaded: until its run ends it goes on with another. A `fault-met` shows the same line. */
  | {
      readonly kind: 'model-fallback';
      readonly from: string;
      readonly to: string;
      readonly reason: 'overloaded';
      readonly line: string;
    }
  /** `signature`: of thinking. */
  | { readonly kind: 'block-finished'; readonly index: number; readonly signature?: string }
  /** A summary is being asked for; `history-compacted` says that it is there. */
  | { readonly kind: 'compaction-began'; readonly trigger: DurableEventOf<'history-compacted'>['trigger'] }
  /** No summary came. */
  | { readonly kind: 'compaction-failed'; readonly reason: string }
  | { readonly kind: 'call-started'; readonly call: string; readonly tool: string; readonly input: unknown }
  /** An agent of an earlier process is back: its start, and what it has used so far. */
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
  /** The agent waits for a slot. */
  | { readonly kind: 'agent-queued' }
  /** A question with all that is needed to show and answer it. Any client that is attached may answer. */
  | {
      readonly kind: 'question-asked';
      readonly call: string;
      readonly tool: string;
      readonly question: PermissionQuestion;
    }
  /** Answered, by whichever client was first, or taken back. */
  | {
      readonly kind: 'question-settled';
      readonly call: string;
      readonly question: string;
      readonly behavior: 'allow' | 'deny';
    }
  /** What the tool gave, in the shape of `tool-responses.ts`: just before the call is finished, in sessions that ask for it. */
  | { readonly kind: 'call-answered'; readonly call: string; readonly response: unknown }
  /** A hook runs, in sessions that ask for it. `run`: which of its runs; `name`: its event, with what it was about. */
  | { readonly kind: 'hook-began'; readonly run: string; readonly event: string; readonly name: string }
  | ({ readonly kind: 'hook-finished'; readonly run: string; readonly event: string; readonly name: string } & HookEnd)
  | { readonly kind: 'call-progressed'; readonly call: string; readonly line: string }
  /** A line for the person that is not part of a message. */
  | { readonly kind: 'line-shown'; readonly level: 'info' | 'warning' | 'error'; readonly line: string };

/** A block as it stands before any of it has come. */
export type BegunBlock =
  | { readonly type: 'text' }
  | { readonly type: 'thinking' }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string };

export type HookEnd = {
  readonly outcome: 'success' | 'error' | 'cancelled';
  readonly stdout: string;
  readonly stderr: string;
  /** Of a command that ended by itself. */
  readonly exitCode?: number;
};

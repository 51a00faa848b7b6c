/** Events that only current listeners see: nothing of them is on disk. */

import type { AgentSpawned, DurableEventOf } from './durable-event.js';
import type { PermissionQuestion } from './permission.js';
import type { Usage } from './usage.js';

export type LiveEvent =
  | { readonly kind: 'request-sent'; readonly turn: number; readonly bytes: number }
  | { readonly kind: 'response-began'; readonly turn: number; readonly usage: Usage }
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
  /** A summary is being asked for; `history-compacted` says that it is there. */
  | { readonly kind: 'compaction-began'; readonly trigger: DurableEventOf<'history-compacted'>['trigger'] }
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
  | { readonly kind: 'call-progressed'; readonly call: string; readonly line: string }
  /** A line for the person that is not part of a message. */
  | { readonly kind: 'line-shown'; readonly level: 'info' | 'warning' | 'error'; readonly line: string };

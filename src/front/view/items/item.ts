/**
 * A conversation as a person reads it: one item after another, made from the events of one agent, live or from its
 * transcript. Text in it is as it came: who shows it makes it safe for the place it is shown in (GT-20).
 */

import type { FrozenBlock } from '../../../protocol/frozen-block.js';

export type Item =
  /** What the person said. `text`: as typed; pictures and files are counted. */
  | { readonly kind: 'prompt'; readonly seq: number; readonly text: string; readonly attached: number }
  /** What another agent, or the parent, told this one: a message, a directive, a task. */
  | {
      readonly kind: 'message';
      readonly seq: number;
      readonly from: 'agent' | 'parent' | 'hook';
      /** Of the agent that wrote it, if it is known. */
      readonly name?: string;
      readonly text: string;
    }
  /** A part of a reply, in Markdown. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly call: string;
      readonly tool: string;
      /** Undefined where it is not known: the call was another agent's, or no model's. */
      readonly input: unknown;
      readonly isError: boolean;
      readonly ms: number;
      readonly result: readonly FrozenBlock[];
      /** The person ran it themselves (`!`). */
      readonly isOwn?: true;
    }
  /** A task in the background has ended. */
  | { readonly kind: 'notice'; readonly agent: string; readonly status: string; readonly text: string }
  | { readonly kind: 'todos'; readonly items: readonly unknown[] }
  /** A line about the conversation itself: it was summarised, cleared, rewound, interrupted; a fault; a change of mode. */
  | { readonly kind: 'line'; readonly level: 'info' | 'warning' | 'error'; readonly text: string };

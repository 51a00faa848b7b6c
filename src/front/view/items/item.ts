/**
 * A conversation as a list of items, made from the events of one agent, live or from its transcript. Texts are raw: the
 * surface that shows them makes them safe (GT-20).
 */

import type { FrozenBlock } from '../../../protocol/frozen-block.js';

export type Item =
  /** A prompt of the user. `text`: as typed; images and files are counted. */
  | { readonly kind: 'prompt'; readonly seq: number; readonly text: string; readonly attached: number }
  /** A message from another agent or the parent: a message, a directive, a task. */
  | {
      readonly kind: 'message';
      readonly seq: number;
      readonly from: 'agent' | 'parent' | 'hook';
      /** The name of the agent that wrote it, if known. */
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
      /** Undefined if not known: the call of another agent, or none of a model. */
      readonly input: unknown;
      readonly isError: boolean;
      readonly ms: number;
      readonly result: readonly FrozenBlock[];
      /** A shell command of the user (`!`). */
      readonly isOwn?: true;
    }
  /** The end of a background task. */
  | { readonly kind: 'notice'; readonly agent: string; readonly status: string; readonly text: string }
  | { readonly kind: 'todos'; readonly items: readonly unknown[] }
  /** A line about the conversation itself: compacted, cleared, rewound, interrupted, a fault, a change of mode. */
  | { readonly kind: 'line'; readonly level: 'info' | 'warning' | 'error'; readonly text: string };

/** The outcome of a tool call. Success and failure have one shape, and the model can act on both. */

import { type ResultContent, text } from './blocks.js';
import type { SideRequest } from './durable-event.js';

export type ToolOutcome = {
  readonly isError: boolean;
  readonly content: readonly ResultContent[];
  /**
   * What PostToolUse hooks read, in the shape of `tool_response` (tool-responses.ts); the content's blocks if omitted.
   * Put together only when such a hook runs.
   */
  readonly response?: () => unknown;
  /** The person wants the run ended: why. */
  readonly stop?: string;
  /** Of a tool that concludes: the run ends well, with this value. */
  readonly conclusion?: { readonly value: unknown };
  /** What a model was asked for this call beside the conversation: it counts as the agent's. */
  readonly paid?: SideRequest;
};

export function succeeded(content: string | readonly ResultContent[]): ToolOutcome {
  return { isError: false, content: typeof content === 'string' ? [text(content)] : content };
}

export function failed(reason: string): ToolOutcome {
  return { isError: true, content: [text(reason)] };
}

export function outcomeText(outcome: Pick<ToolOutcome, 'content'>): string {
  return outcome.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

export async function responseOf({ content, response }: ToolOutcome): Promise<unknown> {
  try {
    return (await response?.()) ?? content;
  } catch {
    // A tool may be third-party code, and its call has succeeded.
    return content;
  }
}

/** The outcome of a tool call. Success and failure have one shape, and the model can act on both. */

import { type ResultContent, text } from './blocks.js';
import type { SideRequest } from './durable-event.js';

export type ToolOutcome = {
  readonly isError: boolean;
  readonly content: readonly ResultContent[];
  /**
   * The `tool_response` for PostToolUse hooks (tool-responses.ts), made only when such a hook runs; the content's
   * blocks if omitted.
   */
  readonly response?: () => unknown;
  /** The reason why the user wants the run to end. */
  readonly stop?: string;
  /** From a tool that concludes the run: it ends successfully, with this value. */
  readonly conclusion?: { readonly value: unknown };
  /** A model request made for this call outside the conversation; charged to the agent. */
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

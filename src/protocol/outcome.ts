/** The outcome of a tool call. Success and failure have one shape, and the model can act on both. */

import { type ResultContent, text } from './blocks.js';

export type ToolOutcome = {
  readonly isError: boolean;
  readonly content: readonly ResultContent[];
};

export function succeeded(content: string | readonly ResultContent[]): ToolOutcome {
  return { isError: false, content: typeof content === 'string' ? [text(content)] : content };
}

export function failed(reason: string): ToolOutcome {
  return { isError: true, content: [text(reason)] };
}

export function outcomeText(outcome: ToolOutcome): string {
  return outcome.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

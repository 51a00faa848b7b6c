/** What a tool call came to. Success and failure have one shape; both are something the model can act on. */

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

/** A tool of the embedder's own, in as few words as possible. */

import type * as z from 'zod';
import { succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import type { Tool, ToolContext } from '../../tools/tool.js';

export type ToolDefinition<Input> = {
  readonly name: string;
  /** What the model reads: what it does, when to use it. */
  readonly description: string;
  readonly schema: z.ZodType<Input>;
  /** It changes nothing: it needs no permission and may run beside others. */
  readonly readOnly?: boolean;
  run(input: Input, context: ToolContext): Promise<string | ToolOutcome>;
};

export function defineTool<Input>(definition: ToolDefinition<Input>): Tool<Input> {
  const readOnly = definition.readOnly ?? false;
  return {
    name: definition.name,
    description: definition.description,
    schema: definition.schema,
    concurrent: readOnly,
    declare: () => [{ kind: 'custom', readOnly }],
    run: async (input, context) => {
      const result = await definition.run(input, context);
      return typeof result === 'string' ? succeeded(result) : result;
    },
  };
}

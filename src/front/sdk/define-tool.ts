/** Defines a custom tool with as little code as possible. */

import type * as z from 'zod';
import { succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import type { JsonSchema, ParsedInput, Tool, ToolContext } from '../../tools/tool.js';
import { type InputFields, parseFields, zodTool } from '../../tools/zod-tool.js';

/** Describe the input with zod (`schema`), or with a JSON Schema and a parser (`inputSchema`, `parse`). */
export type ToolDefinition<Input> = CommonDefinition<Input> &
  (
    | { readonly schema: z.ZodType<Input>; readonly inputSchema?: never; readonly parse?: never }
    | {
        readonly inputSchema: JsonSchema;
        /** Gets an object, with any fields. Must not throw. The model reads the `reason` if its input is invalid. */
        readonly parse: (raw: InputFields) => ParsedInput<Input>;
        readonly schema?: never;
      }
  );

/** A JSON Schema without a parser: accepts any object, and `run` checks it. For schemas from elsewhere. */
export type LooseToolDefinition = CommonDefinition<InputFields> & {
  readonly inputSchema: JsonSchema;
  readonly parse?: never;
  readonly schema?: never;
};

export type CommonDefinition<Input> = {
  readonly name: string;
  /** Read by the model: what the tool does and when to use it. */
  readonly description: string;
  /** Changes nothing, so it needs no permission and may run in parallel. */
  readonly readOnly?: boolean;
  run(input: Input, context: ToolContext): Promise<string | ToolOutcome>;
};

export function defineTool<Input>(definition: ToolDefinition<Input>): Tool<Input>;
export function defineTool(definition: LooseToolDefinition): Tool<InputFields>;
export function defineTool<Input>(
  definition: ToolDefinition<Input> | LooseToolDefinition,
): Tool<Input> | Tool<InputFields> {
  const { schema } = definition;
  if (schema !== undefined) return zodTool({ ...commonParts(definition), schema: () => schema });
  const { name, inputSchema, parse } = definition;
  const read = (raw: unknown) => parseFields(name, raw);
  if (parse === undefined) return { ...commonParts(definition), inputSchema, parse: read };
  const readThenParse = (raw: unknown) => {
    const fields = read(raw);
    return fields.ok ? parse(fields.input) : fields;
  };
  return { ...commonParts(definition), inputSchema, parse: readThenParse };
}

function commonParts<Input>(definition: CommonDefinition<Input>) {
  const { name, description, readOnly = false } = definition;
  return {
    name,
    description,
    concurrent: readOnly,
    declare: () => [{ kind: 'custom', readOnly } as const],
    run: async (input: Input, context: ToolContext) => {
      const result = await definition.run(input, context);
      return typeof result === 'string' ? succeeded(result) : result;
    },
  };
}

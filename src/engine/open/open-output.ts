/** The tool that returns a session's results as values, if there is a schema. Loads nothing otherwise. */

import type { Tool } from '../../tools/tool.js';
import { type OpenFailure, type SessionOptions, usageFailure } from '../session-options.js';

type OpenedOutput = { readonly ok: true; readonly tools: readonly Tool[] } | OpenFailure;

/** Without a model, no run ends with a call. */
export async function openOutput({ outputSchema, onlyCalls, tools = [] }: SessionOptions): Promise<OpenedOutput> {
  if (outputSchema === undefined || onlyCalls === true) return { ok: true, tools: [] };
  const [{ readOutputSchema }, { createStructuredOutputTool }] = await Promise.all([
    import('../../tools/output/output-schema.js'),
    import('../../tools/output/structured-output.js'),
  ]);
  const schema = readOutputSchema(outputSchema);
  if (!schema.ok) return usageFailure(`the output schema (--json-schema) can't be used: ${schema.reason}`);
  const tool = createStructuredOutputTool(schema);
  if (tools.some(({ name }) => name === tool.name)) {
    return usageFailure(`your tool ${tool.name} has the name of the tool for structured output: rename it`);
  }
  return { ok: true, tools: [tool] };
}

/** The tool that gives a session's results as values, where a schema asks for that. Nothing of it is loaded otherwise. */

import type { Tool } from '../../tools/tool.js';
import type { OpenFailure, SessionOptions } from '../session-options.js';

type OpenedOutput = { readonly ok: true; readonly tools: readonly Tool[] } | OpenFailure;

/** Where no model works, nothing is to be ended by a call. */
export async function openOutput({ outputSchema, onlyCalls, tools = [] }: SessionOptions): Promise<OpenedOutput> {
  if (outputSchema === undefined || onlyCalls === true) return { ok: true, tools: [] };
  const [{ readOutputSchema }, { createStructuredOutputTool }] = await Promise.all([
    import('../../tools/output/output-schema.js'),
    import('../../tools/output/structured-output.js'),
  ]);
  const schema = readOutputSchema(outputSchema);
  if (!schema.ok) return refuse(`the output schema (--json-schema) can't be used: ${schema.reason}`);
  const tool = createStructuredOutputTool(schema);
  if (tools.some(({ name }) => name === tool.name)) {
    return refuse(
      `a tool of your own is called ${tool.name}, as the one that gives results by the output schema: rename it`,
    );
  }
  return { ok: true, tools: [tool] };
}

function refuse(reason: string): OpenFailure {
  return { ok: false, kind: 'usage', reason };
}

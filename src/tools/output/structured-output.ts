/** StructuredOutput: the result of a prompt as a value of the requested form. Its call ends the run. */

import { MAIN_AGENT } from '../../protocol/events.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { structuredOutputFacts } from '../../protocol/tools/structured-output.js';
import type { Tool } from '../tool.js';
import type { OutputSchema } from './output-schema.js';
import { describeMisfit, describeStructuredOutput, FOR_THE_MAIN_AGENT, TAKEN } from './structured-output.text.js';

export function createStructuredOutputTool({ declared, isWrapped, problemOf }: OutputSchema): Tool {
  return {
    name: structuredOutputFacts.name,
    description: describeStructuredOutput(isWrapped),
    inputSchema: declared,
    concurrent: false,
    concludes: true,
    // The value may quote escaped text, and goes to a program unchanged.
    quotes: 'all',
    parse: (raw) => ({ ok: true, input: raw }),
    declare: () => [{ kind: 'session' }],
    run: async (input, { agentId }): Promise<ToolOutcome> => {
      // A fork has its parent's tools, byte for byte.
      if (agentId !== MAIN_AGENT) return failed(FOR_THE_MAIN_AGENT);
      const given = isWrapped ? unwrap(input) : { value: input };
      if (given === undefined) return failed(describeMisfit('the field `value` is missing'));
      const problem = problemOf(given.value);
      return problem === undefined ? { ...succeeded(TAKEN), conclusion: given } : failed(describeMisfit(problem));
    },
  };
}

function unwrap(input: unknown): { readonly value: unknown } | undefined {
  if (typeof input !== 'object' || input === null || !('value' in input)) return undefined;
  return { value: input.value };
}

/** StructuredOutput: the result of a prompt as a value of the requested form. Its call ends the run. */

import { MAIN_AGENT } from '../../protocol/events.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { structuredOutputFacts } from '../../protocol/tools/structured-output.js';
import type { Tool } from '../tool.js';
import type { OutputSchema } from './output-schema.js';

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

/** The texts of StructuredOutput for the model. */
function describeStructuredOutput(isWrapped: boolean): string {
  const where = isWrapped ? 'The field `value` of its input is the result.' : 'Its input is the result.';
  return `Gives the result of the person's request as a value of the form they asked for. ${where}

- A program reads this value and nothing else: an answer in text does not reach it.
- Do the work first, with other tools where needed. Call this once, at the end: your turn ends with it.
- A value that does not fit the schema is refused with what is wrong. Correct that and call it again.
- Every request of the person needs its own call.`;
}

const TAKEN = 'The result was taken.';

const FOR_THE_MAIN_AGENT =
  'StructuredOutput gives the result of the whole session, and only the main agent may. Answer in text: your parent reads that.';

function describeMisfit(problem: string): string {
  return `The result does not fit the schema, and was not taken: ${problem}. Call StructuredOutput again with a value that fits.`;
}

/** The texts of StructuredOutput for the model. */

export function describeStructuredOutput(isWrapped: boolean): string {
  const where = isWrapped ? 'The field `value` of its input is the result.' : 'Its input is the result.';
  return `Gives the result of the person's request as a value of the form they asked for. ${where}

- A program reads this value and nothing else: an answer in text does not reach it.
- Do the work first, with other tools where needed. Call this once, at the end: your turn ends with it.
- A value that does not fit the schema is refused with what is wrong. Correct that and call it again.
- Every request of the person needs its own call.`;
}

export const TAKEN = 'The result was taken.';

export const FOR_THE_MAIN_AGENT =
  'StructuredOutput gives the result of the whole session, and only the main agent may. Answer in text: your parent reads that.';

export function describeMisfit(problem: string): string {
  return `The result does not fit the schema, and was not taken: ${problem}. Call StructuredOutput again with a value that fits.`;
}

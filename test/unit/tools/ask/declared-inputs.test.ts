/** What AskUserQuestion declares is kept as JSON, made from the schema that parses its input. `npx vitest run test/unit/tools -u` makes it again. */

import { expect, it } from 'vitest';
import { createAskUserQuestionTool } from '../../../../src/tools/ask/ask-user-question.js';
import { toJsonSchema } from '../../../../src/tools/zod-tool.js';

const tool = createAskUserQuestionTool(async () => ({ kind: 'nobody' }));

it('SF-14: AskUserQuestion declares what its schema accepts, without the fields that only hooks may set', async () => {
  const declared = `${JSON.stringify({ AskUserQuestion: toJsonSchema(tool.schema()) })}\n`;
  await expect(declared).toMatchFileSnapshot('../../../../src/tools/ask/declared-inputs.json');
  expect(Object.keys(tool.inputSchema.properties as object)).toEqual(['questions']);
});

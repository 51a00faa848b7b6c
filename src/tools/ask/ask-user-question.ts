/** AskUserQuestion: asks the user one to four questions with options (EX-16). */

import * as z from 'zod';
import {
  findQuestionProblems,
  type QuestionsRequest,
  type UserReply,
} from '../../protocol/questions/user-questions.js';
import { askUserQuestionFacts } from '../../protocol/tools/ask-user-question.js';
import type { Tool } from '../tool.js';
import { withoutFields } from '../without-fields.js';
import { type ZodTool, zodTool } from '../zod-tool.js';
import DECLARED_INPUTS from './declared-inputs.json' with { type: 'json' };

/** The description of AskUserQuestion for the model. */
const askUserQuestionText = `Asks the person one to four questions, each with two to four options, and waits for the answers.

Use it when only the person can decide and the answer changes what you do: a choice between real alternatives, something that is unclear in the task. Find out by reading what you can find out by reading, and don't ask for permission with it: tools ask for that themselves.

- Each option has a short \`label\` and a \`description\` of what it means. Put the one you recommend first and say so.
- The person can always answer in their own words, so there is no need for an option "Other".
- \`multiSelect\`: several options may be chosen. \`preview\`: a text to compare, such as a sketch or a piece of code.
- No answer is not a yes.`;

/** Asks the user on behalf of the agent. Must not reject. */
export type AskUser = (request: QuestionsRequest, agentId: string, signal: AbortSignal) => Promise<UserReply>;

const schema = () =>
  z.object({
    questions: z
      .array(
        z.object({
          question: z.string().describe('The question, as a whole sentence'),
          header: z.string().describe('What it is about, in at most 12 characters'),
          options: z
            .array(
              z.object({
                label: z.string().describe('One to five words'),
                description: z.string().describe('What choosing it means'),
                preview: z.string().optional().describe('A text to compare with those of the other options'),
              }),
            )
            .min(2)
            .max(4),
          multiSelect: z.boolean().optional().describe('Several options may be chosen'),
        }),
      )
      .min(1)
      .max(4),
    answers: z.record(z.string(), z.unknown()).optional(),
  });

type Input = z.infer<ReturnType<typeof schema>>;

export function createAskUserQuestionTool(ask: AskUser): ZodTool<Input> {
  const tool = zodTool<Input>({
    name: askUserQuestionFacts.name,
    description: askUserQuestionText,
    schema,
    inputSchema: withoutFields(DECLARED_INPUTS.AskUserQuestion, ['answers']),
    concurrent: false,
    asksPerson: true,
    notByModel: ['answers'],
    quotes: 'all',
    declare: () => [{ kind: 'session' }],
    run: async ({ questions, answers }, { callId, agentId, signal }) => {
      const [{ describeReply }, reply] = await Promise.all([
        import('./describe-reply.js'),
        ask({ call: callId, questions, ...(answers === undefined ? {} : { answers }) }, agentId, signal),
      ]);
      return describeReply(questions, reply);
    },
  });
  const parse: Tool<Input>['parse'] = (raw) => {
    const read = tool.parse(raw);
    const problems = read.ok ? findQuestionProblems(read.input.questions) : [];
    if (problems.length === 0) return read;
    return { ok: false, reason: `AskUserQuestion: nothing was asked.\n${problems.slice(0, 8).join('\n')}` };
  };
  return { ...tool, parse };
}

/** Describes the user's reply to the model. Silence, a closed dialog or a bare yes is never consent (EX-16). */

import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import type { UserReply } from '../../protocol/questions/user-questions.js';
import type { AskUserQuestionResponse, UserQuestion } from '../../protocol/tools/ask-user-question.js';

const NO_CONSENT =
  'That decides nothing and is no consent: do nothing that depends on the answer. Go on with what does not, or end your turn and say what you need to know.';

export function describeReply(questions: readonly UserQuestion[], reply: UserReply): ToolOutcome {
  switch (reply.kind) {
    case 'answered':
      return answered(questions, reply);
    case 'dismissed': {
      const { reason, interrupt } = reply;
      const output = reason === undefined ? '' : ` They say: ${reason}`;
      const outcome = failed(`The person did not answer.${output}\n${NO_CONSENT}`);
      return interrupt ? { ...outcome, stop: reason ?? 'the person did not answer and ended the run' } : outcome;
    }
    case 'empty':
      return failed(`No answer came: ${reply.reason}.\n${NO_CONSENT}`);
    case 'refused':
      return failed(`The person was not asked: ${reply.reason}\n${NO_CONSENT}`);
    case 'late':
      return failed(`No answer came within ${reply.seconds} seconds.\n${NO_CONSENT}`);
    case 'taken-back':
      return failed('The person interrupted before answering. Nothing was decided.');
    case 'nobody':
      return failed(
        `Nobody can be asked in this run. Don't ask again. ${NO_CONSENT} Where one choice is safe and easy to undo, you may make it and say so in your answer.`,
      );
    case 'not-asked':
      return failed(`In this mode (dontAsk) nobody is asked. Don't ask again. ${NO_CONSENT}`);
    default:
      return reply satisfies never;
  }
}

function answered(
  questions: readonly UserQuestion[],
  { by, answers, response, annotations }: UserReply & { readonly kind: 'answered' },
): ToolOutcome {
  const who = by === 'hook' ? 'A hook answered in place of the person:' : 'The person answered:';
  const lines = questions.map(({ question }) => {
    const answer = Object.hasOwn(answers, question) ? answers[question] : undefined;
    return `- ${JSON.stringify(question)}: ${answer === undefined ? 'no answer; that is no consent' : JSON.stringify(answer)}`;
  });
  const isFree = response !== undefined && Object.keys(answers).length === 0;
  const output = response === undefined ? [] : [isFree ? response : `They also say: ${response}`];
  const notes = Object.entries(annotations ?? {}).map(
    ([question, note]) => `  note on ${JSON.stringify(question)}: ${JSON.stringify(note)}`,
  );
  const content = isFree ? [who, ...output] : [who, ...lines, ...notes, ...output];
  return {
    ...succeeded(content.join('\n')),
    response: (): AskUserQuestionResponse => ({
      questions,
      answers,
      ...(response === undefined ? {} : { response }),
      ...(annotations === undefined ? {} : { annotations }),
    }),
  };
}

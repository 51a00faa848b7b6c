/** Shows a question with its choices, then reads a letter and Enter. A choice may ask for more before the answer. */

import { nodeHost } from '../../../../host/node-host.js';
import type { PermissionAnswer } from '../../../../protocol/permission.js';
import { reasonOf } from '../../../../protocol/reason-of.js';
import { isCommand } from '../../../commands/is-command.js';
import {
  answerWith,
  type ChoiceQuestion,
  type FieldsQuestion,
  type QuestionDocument,
  refuse,
} from '../../../questions/question-description.js';
import { isCut } from '../../../questions/question-lines.js';
import { fillIn } from './fill-in.js';
import { cannotAnswer, listChoices, NOT_A_CHOICE, type QuestionHost, show, WITHDRAWN } from './question-host.js';

type Asked = ChoiceQuestion | FieldsQuestion;

/** `alike`: how many others ask the same question. */
export async function putChoices(
  terminal: QuestionHost,
  asked: Asked,
  alike: number,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { screen, input } = terminal;
  const read = (prompt: string) => input.read({ prompt, question: true, signal });
  let question = asked;
  let lines = await question.lines();
  if (signal.aborted) return WITHDRAWN;
  show(terminal, lines);
  for (;;) {
    screen.line(describeChoices(question, alike, isCut(lines)));
    const line = await read('? ');
    if (line === undefined || signal.aborted) return cannotAnswer(terminal, signal);
    if (isCommand(line)) {
      await terminal.command(line);
      await terminal.settled();
      if (signal.aborted) return cannotAnswer(terminal, signal);
      show(terminal, lines);
      continue;
    }
    if (/^w(?:hole)?$/i.test(line.trim())) {
      show(terminal, await question.lines(true));
      continue;
    }
    const effect = readEffect(line.trim(), question, alike);
    switch (effect?.kind) {
      case 'answer':
        return effect.answer;
      case 'write': {
        const text = await read(effect.prompt);
        return signal.aborted ? cannotAnswer(terminal, signal) : effect.answer(text);
      }
      case 'fill': {
        const answer = await fillIn(terminal, effect.form, signal);
        return signal.aborted ? cannotAnswer(terminal, signal) : answer;
      }
      case 'edit': {
        const { document } = effect;
        const text = await changeText(terminal, document, () => read('Press Enter when done: '));
        if (text !== document.text) question = document.change(text);
        if (signal.aborted || input.ended) return cannotAnswer(terminal, signal);
        lines = await question.lines();
        show(terminal, lines);
        break;
      }
      case undefined:
        screen.line(NOT_A_CHOICE);
        break;
      default:
        return effect satisfies never;
    }
  }
}

function describeChoices(question: Asked, alike: number, isCut: boolean): string {
  return [
    ...(question.form === 'choose' && question.ask !== undefined ? [question.ask] : []),
    ...listChoices(question.choices()),
    ...(question.isShared && alike > 0
      ? [`  y+ or n+  the same answer for the ${alike} others with this question`]
      : []),
    ...(isCut ? ['  w  show all'] : []),
  ].join('\n');
}

/** Undefined if it is not one of the choices: only an explicit yes allows anything. */
function readEffect(typed: string, question: Asked, alike: number) {
  if (question.form === 'fields') {
    return question.choices().find(({ words }) => words?.includes(typed.toLowerCase()))?.effect;
  }
  const reason = /^no?[\s,:]+(.+)$/is.exec(typed)?.[1];
  if (reason !== undefined) return answerWith(refuse(reason));
  const together = typed.endsWith('+') && alike > 0;
  const word = (together ? typed.slice(0, -1) : typed).toLowerCase();
  const effect = question.choices().find(({ words }) => words?.includes(word))?.effect;
  if (!together || effect?.kind !== 'answer' || 'always' in effect.answer) return effect;
  return answerWith({ ...effect.answer, together });
}

const MOST_BYTES = 1_000_000;

/** Lets the user change the text in its file, with any editor. The result is shown before it can be accepted. */
async function changeText(
  { screen, paint }: QuestionHost,
  { name, text, file }: QuestionDocument,
  wait: () => Promise<string | undefined>,
): Promise<string> {
  const { files } = nodeHost(process.cwd());
  try {
    await files.replace(file, text.endsWith('\n') ? text : `${text}\n`, 0o600);
    screen.line(`The ${name} is in ${file}\nEdit it there with your editor.`);
    if ((await wait()) === undefined) return text;
    const found = await files.stat(file);
    if (found?.kind !== 'file' || found.size > MOST_BYTES) throw new Error('it is not a file, or too large');
    const changed = (await files.read(file)).toString('utf8');
    if (changed.trim() === '') throw new Error('it is empty');
    return changed.trimEnd() === text.trimEnd() ? text : changed;
  } catch (error) {
    screen.line(paint.warn(`The ${name} is unchanged: ${reasonOf(error)}`));
    return text;
  }
}

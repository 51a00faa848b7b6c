/** Asks for the fields of a form at the terminal, one after another, and shows all of them before anything is sent. */

import { isSecret } from '../../../../protocol/mcp/read-fields.js';
import type { PermissionAnswer } from '../../../../protocol/permission.js';
import {
  CANCELLED,
  DECLINED,
  describeContent,
  describeField,
  type FieldValue,
  type FormContent,
  readField,
  SECRET_WARNING,
  sendChoices,
  valueLines,
} from '../../../questions/fields.js';
import type { Form } from '../../../questions/question-description.js';
import { listChoices, NOT_A_CHOICE, type QuestionHost } from './question-host.js';

/** The caller handles a withdrawn question. */
export async function fillIn(terminal: QuestionHost, form: Form, signal: AbortSignal): Promise<PermissionAnswer> {
  const { screen } = terminal;
  screen.line('(/decline or /cancel to stop; you see everything before it is sent)');
  for (;;) {
    const filled = await askFields(terminal, form, signal);
    if ('behavior' in filled) return filled;
    for (const line of describeContent(form, filled.content)) screen.line(line);
    const answer = await chooseSending(terminal, sendChoices(form, filled.content), signal);
    if (answer !== undefined) return answer;
  }
}

/** Undefined: fill them in again. */
async function chooseSending(
  { screen, input }: QuestionHost,
  choices: ReturnType<typeof sendChoices>,
  signal: AbortSignal,
): Promise<PermissionAnswer | undefined> {
  for (;;) {
    screen.line(listChoices(choices).join('\n'));
    const line = await input.read({ prompt: '? ', question: true, signal });
    if (line === undefined) return CANCELLED;
    const word = line.trim().toLowerCase().replace(/^\//, '');
    const effect = choices.find(({ words }) => words?.includes(word))?.effect;
    if (effect !== undefined) return effect.kind === 'answer' ? effect.answer : undefined;
    screen.line(NOT_A_CHOICE);
  }
}

type Filled = { readonly content: FormContent };

async function askFields(
  terminal: QuestionHost,
  { fields }: Form,
  signal: AbortSignal,
): Promise<Filled | PermissionAnswer> {
  const { screen, input, paint } = terminal;
  const content = new Map<string, FieldValue>();
  for (const field of fields) {
    screen.line(paint.bold(describeField(field)));
    if (isSecret(field)) screen.line(paint.bad(`! ${SECRET_WARNING}`));
    for (const line of valueLines(field)) screen.line(line);
    for (;;) {
      const line = await input.read({ prompt: ': ', question: true, signal });
      if (line === undefined || line.trim() === '/cancel') return CANCELLED;
      if (line.trim() === '/decline') return DECLINED;
      const read = readField(field, line);
      if (!read.ok) {
        screen.line(paint.warn(`${read.reason}.`));
        continue;
      }
      if (read.value !== undefined) content.set(field.name, read.value);
      break;
    }
  }
  return { content };
}

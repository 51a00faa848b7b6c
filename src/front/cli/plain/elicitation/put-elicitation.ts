/** Answers a server's question at the terminal: field by field, shown once more before anything is sent. */

import type { ElicitationForm } from '../../../../protocol/mcp/elicitation-form.js';
import { isSecret } from '../../../../protocol/mcp/read-fields.js';
import type { PermissionAnswer } from '../../../../protocol/permission.js';
import {
  acceptAtOnce,
  CANCELLED,
  DECLINED,
  describeContent,
  describeYes,
  type Form,
  type FormContent,
  sendContent,
} from '../../../questions/form-answers.js';
import { type FieldValue, readField, valueLines } from '../../../questions/read-field.js';
import { describeField, SECRET_WARNING } from '../../../view/describe/describe-elicitation.js';
import type { Paint } from '../../../view/paint.js';
import type { LineInput } from '../line-input.js';
import type { Screen } from '../screen.js';

type FormTerminal = { readonly screen: Screen; readonly input: LineInput; readonly paint: Paint };

/** What can be said to it, before its fields are asked for. */
export function elicitationChoices(form: ElicitationForm): string {
  return [`  y  ${describeYes(form)}`, '  n  no, decline', '  c  cancel: neither yes nor no'].join('\n');
}

/** Undefined: to be chosen again. The caller deals with a question that was withdrawn, or an input that has ended. */
export async function answerElicitation(
  terminal: FormTerminal,
  form: ElicitationForm,
  said: string,
  signal: AbortSignal,
): Promise<PermissionAnswer | undefined> {
  switch (said.trim().toLowerCase()) {
    case 'y':
    case 'yes':
      return acceptAtOnce(form) ?? (form.mode === 'form' ? fillIn(terminal, form, signal) : undefined);
    case 'n':
    case 'no':
      return DECLINED;
    case 'c':
    case 'cancel':
      return CANCELLED;
    default:
      terminal.screen.line('That is not one of the choices.');
      return undefined;
  }
}

async function fillIn(terminal: FormTerminal, form: Form, signal: AbortSignal): Promise<PermissionAnswer | undefined> {
  const { screen } = terminal;
  screen.line('(/decline and /cancel end it; nothing is sent before you have seen all of it)');
  for (;;) {
    const filled = await askFields(terminal, form, signal);
    if ('behavior' in filled) return filled;
    for (const line of describeContent(form, filled.content)) screen.line(line);
    const choice = await chooseSending(terminal, signal);
    if (choice === 'again') continue;
    if (choice === 'send') return sendContent(filled.content);
    return choice;
  }
}

async function chooseSending(
  { screen, input }: FormTerminal,
  signal: AbortSignal,
): Promise<'send' | 'again' | PermissionAnswer> {
  for (;;) {
    screen.line(['  y  send it', '  e  enter it again', '  n  no, decline', '  c  cancel'].join('\n'));
    const line = await input.read({ prompt: '? ', question: true, signal });
    if (line === undefined) return CANCELLED;
    const word = line.trim().toLowerCase();
    if (word === 'y' || word === 'yes') return 'send';
    if (word === 'e') return 'again';
    if (word === 'n' || word === 'no' || word === '/decline') return DECLINED;
    if (word === 'c' || word === '/cancel') return CANCELLED;
    screen.line('That is not one of the choices.');
  }
}

type Filled = { readonly content: FormContent };

async function askFields(
  terminal: FormTerminal,
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

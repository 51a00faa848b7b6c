/** Describes a question of an MCP server: a page to open, or a form to fill in. */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import type { ElicitationForm } from '../../../protocol/mcp/elicitation-form.js';
import { isSecret } from '../../../protocol/mcp/read-fields.js';
import type { ElicitationQuestion } from '../../../protocol/permission.js';
import { describeField, REFUSALS, SECRET_WARNING } from '../fields.js';
import { fullName } from '../name-requester.js';
import { answerWith, type FieldsQuestion, type Form } from '../question-description.js';
import { MARGIN, type QuestionLine, quote } from '../question-lines.js';

export function describeElicitation({ elicitation, agent, reason }: ElicitationQuestion): FieldsQuestion {
  const head = `The MCP server ${escapeToLine(elicitation.server)} asks you`;
  const lines: readonly QuestionLine[] = [
    { kind: 'detail', text: `  on behalf of ${fullName(agent).replace(/^The/, 'the')}` },
    ...quote(elicitation.message),
    ...(elicitation.mode === 'url' ? describePage(elicitation.url) : describeFields(elicitation)),
  ];
  return {
    form: 'fields',
    call: 'none',
    title: escapeToLine(reason.split('\n')[0] ?? reason),
    does: 'has a question',
    asked: elicitation,
    lines: async () => [{ kind: 'title', text: head }, ...lines],
    text: () => ({ head, details: [], lines, marks: [] }),
    choices: () => [acceptChoice(elicitation), ...REFUSALS],
  };
}

function describePage(url: string): readonly QuestionLine[] {
  return [
    { kind: 'detail', text: `  It asks to open this page at ${escapeToLine(new URL(url).host)}:` },
    { kind: 'input', text: `${MARGIN}${escapeToLine(url)}` },
  ];
}

function describeFields({ fields }: Form): readonly QuestionLine[] {
  if (fields.length === 0) return [];
  return [
    { kind: 'detail', text: '  It asks for:' },
    ...fields.map((field): QuestionLine => ({ kind: 'input', text: `${MARGIN}${describeField(field)}` })),
    ...(fields.some(isSecret) ? [{ kind: 'danger', text: `  ! ${SECRET_WARNING}` } as const] : []),
  ];
}

/** Answers directly if there is nothing to fill in. */
function acceptChoice(form: ElicitationForm): ReturnType<FieldsQuestion['choices']>[number] {
  const typed = { words: ['y', 'yes'], keys: ['1', 'y'] };
  if (form.mode === 'url') {
    const button = { id: 'allow', name: 'Open this page' };
    return { ...typed, label: 'yes, open it in the browser', button, effect: answerWith({ behavior: 'allow' }) };
  }
  if (form.fields.length > 0) {
    return { ...typed, label: 'yes, fill it in field by field', effect: { kind: 'fill', form } };
  }
  const button = { id: 'allow', name: 'Yes' };
  return { ...typed, label: 'yes', button, effect: answerWith({ behavior: 'allow', updatedInput: {} }) };
}

/** A server's question and its fields in words. What the server wrote stands behind a margin: no line of it looks like ours. */

import { escapeControls, escapeToLine } from '../../../protocol/escape-controls.js';
import type { ElicitationField, ElicitationForm } from '../../../protocol/mcp/elicitation-form.js';
import { isSecret } from '../../../protocol/mcp/read-fields.js';
import type { QuestionLine } from './question-line.js';

const MARGIN = '  | ';

/** `who`: the agent in whose work it asks. */
export function describeElicitation(form: ElicitationForm, who: string): readonly QuestionLine[] {
  const server = escapeToLine(form.server);
  return [
    { kind: 'title', text: `The MCP server ${server} asks you` },
    { kind: 'detail', text: `  in the work of ${who}` },
    ...escapeControls(form.message)
      .split('\n')
      .map((line): QuestionLine => ({ kind: 'input', text: `${MARGIN}${line}` })),
    ...(form.mode === 'url' ? describePage(form.url) : describeFields(form.fields)),
  ];
}

function describePage(url: string): readonly QuestionLine[] {
  return [
    { kind: 'detail', text: `  It wants this page opened, at ${escapeToLine(new URL(url).host)}:` },
    { kind: 'input', text: `${MARGIN}${escapeToLine(url)}` },
  ];
}

function describeFields(fields: readonly ElicitationField[]): readonly QuestionLine[] {
  if (fields.length === 0) return [];
  return [
    { kind: 'detail', text: '  It wants to know:' },
    ...fields.map((field): QuestionLine => ({ kind: 'input', text: `${MARGIN}${describeField(field)}` })),
    ...(fields.some(isSecret) ? [{ kind: 'danger', text: `  ! ${SECRET_WARNING}` } as const] : []),
  ];
}

export const SECRET_WARNING =
  'This looks like a password or a key. What you type is shown here and goes to the server: say no if you are not sure.';

/** `Name (text, required): what it is for`. */
export function describeField(field: ElicitationField): string {
  const description = field.description === undefined ? '' : `: ${escapeToLine(field.description)}`;
  const wanted = field.required ? ', required' : '';
  return `${escapeToLine(field.title)} (${describeKind(field)}${wanted})${description}`;
}

function describeKind(field: ElicitationField): string {
  switch (field.type) {
    case 'boolean':
      return 'yes or no';
    case 'integer':
    case 'number':
      return `${field.type === 'integer' ? 'whole number' : 'number'}${between(field.minimum, field.maximum, '')}`;
    case 'string':
      return `${field.format ?? 'text'}${between(field.minLength, field.maxLength, ' characters')}`;
    case 'choice':
      return `one of ${field.choices.length}`;
    case 'choices':
      return `some of ${field.choices.length}${between(field.minItems, field.maxItems, '')}`;
    default:
      return field satisfies never;
  }
}

function between(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return '';
  if (least === undefined) return `, at most ${most}${unit}`;
  return most === undefined ? `, at least ${least}${unit}` : `, ${least} to ${most}${unit}`;
}

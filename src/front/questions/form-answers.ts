/** What a person says to a server's form: yes with its fields filled in, no, or neither. */

import { escapeToLine } from '../../protocol/escape-controls.js';
import type { ElicitationForm } from '../../protocol/mcp/elicitation-form.js';
import type { PermissionAnswer } from '../../protocol/permission.js';
import { describeValue, type FieldValue } from './read-field.js';

export const DECLINED: PermissionAnswer = { behavior: 'deny' };
export const CANCELLED: PermissionAnswer = { behavior: 'deny', cancel: true };

export type Form = ElicitationForm & { readonly mode: 'form' };

/** By the name of the field; those left out are not in it. */
export type FormContent = ReadonlyMap<string, FieldValue>;

/** A yes to the question itself. Undefined: its fields are to be filled in first. */
export function acceptAtOnce(form: ElicitationForm): PermissionAnswer | undefined {
  if (form.mode === 'url') return { behavior: 'allow' };
  return form.fields.length === 0 ? { behavior: 'allow', updatedInput: {} } : undefined;
}

/** What a yes means. */
export function describeYes(form: ElicitationForm): string {
  if (form.mode === 'url') return 'yes, open it in the browser';
  return form.fields.length === 0 ? 'yes' : 'answer it: you are asked for one thing after another';
}

export function sendContent(content: FormContent): PermissionAnswer {
  return { behavior: 'allow', updatedInput: Object.fromEntries(content) };
}

/** All that would be sent, to be looked at before. */
export function describeContent(form: Form, content: FormContent): readonly string[] {
  return [
    `This goes to ${escapeToLine(form.server)}:`,
    ...form.fields.map((field) => {
      const value = content.get(field.name);
      return `  ${escapeToLine(field.title)}: ${value === undefined ? '(nothing)' : describeValue(field, value)}`;
    }),
  ];
}

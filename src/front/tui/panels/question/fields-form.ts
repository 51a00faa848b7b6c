/** A form with fields, filled in one after another and reviewed before anything is sent. */

import type { ElicitationField } from '../../../../protocol/mcp/elicitation-form.js';
import { isSecret } from '../../../../protocol/mcp/read-fields.js';
import {
  describeContent,
  describeField,
  type FieldValue,
  readField,
  SECRET_WARNING,
  sendChoices,
  valueLines,
} from '../../../questions/fields.js';
import type { FieldsQuestion, Form, Listed } from '../../../questions/question-description.js';
import { MARGIN, type QuestionLine, type QuestionText } from '../../../questions/question-lines.js';
import { LineEditor } from '../../input/line-editor.js';
import { type Choice, type FormHost, inKeyOrder, type OpenField, type QuestionForm } from './question-form.js';

/** Not answered yet, at a field, or filled in and not sent. */
type Stage =
  | { readonly kind: 'asked' }
  | { readonly kind: 'field'; readonly form: Form; readonly at: number }
  | { readonly kind: 'filled'; readonly form: Form };

export class FieldsForm implements QuestionForm {
  readonly isReady = true;
  readonly isList = true;
  readonly needsEnter = false;
  readonly hints: readonly string[] = [];
  readonly only = undefined;
  /** Data for a server is never sent by Enter alone. */
  readonly preset = undefined;
  readonly #host: FormHost;
  readonly #question: FieldsQuestion;
  readonly #asked: QuestionText;
  /** Typed values by field name, for going back. */
  readonly #typed = new Map<string, LineEditor>();
  readonly #values = new Map<string, FieldValue>();
  #stage: Stage = { kind: 'asked' };
  #warning: string | undefined;
  #text: QuestionText;

  constructor(host: FormHost, question: FieldsQuestion, listed: Listed) {
    this.#host = host;
    this.#question = question;
    this.#asked = question.text(listed, {});
    this.#text = this.#asked;
  }

  get field(): OpenField | undefined {
    const stage = this.#stage;
    const field = stage.kind === 'field' ? stage.form.fields[stage.at] : undefined;
    if (stage.kind !== 'field' || field === undefined) return undefined;
    const { form, at } = stage;
    return {
      label: `${at + 1} of ${form.fields.length}`,
      line: this.#lineOf(field),
      hints: ['enter next', 'esc back', 'you review everything before it is sent'],
      ...(this.#warning === undefined ? {} : { warning: this.#warning }),
      submit: (text) => this.#fill(form, at, text),
      leave: () => this.#turnTo(at === 0 ? { kind: 'asked' } : { kind: 'field', form, at: at - 1 }),
    };
  }

  text(): QuestionText {
    return this.#text;
  }

  choices(): readonly Choice[] {
    const stage = this.#stage;
    const choices = stage.kind === 'filled' ? sendChoices(stage.form, this.#values) : this.#question.choices();
    return inKeyOrder(choices).map(({ keys = [], label, effect }) => {
      const fill = (form: Form) => this.#turnTo({ kind: 'field', form, at: 0 });
      const pick = () => (effect.kind === 'answer' ? this.#host.give(effect.answer) : fill(effect.form));
      return { keys, text: label, pick };
    });
  }

  #lineOf({ name }: ElicitationField): LineEditor {
    const line = this.#typed.get(name) ?? new LineEditor();
    this.#typed.set(name, line);
    return line;
  }

  #fill(form: Form, at: number, text: string): void {
    const field = form.fields[at];
    if (field === undefined) return;
    const read = readField(field, text);
    if (!read.ok) {
      this.#warning = `${read.reason}.`;
      this.#host.changed();
      return;
    }
    if (read.value === undefined) this.#values.delete(field.name);
    else this.#values.set(field.name, read.value);
    this.#turnTo(at + 1 < form.fields.length ? { kind: 'field', form, at: at + 1 } : { kind: 'filled', form });
  }

  #turnTo(stage: Stage): void {
    this.#stage = stage;
    this.#warning = undefined;
    this.#text = { ...this.#asked, lines: this.#lines(stage) };
    this.#host.changed({ at: undefined });
  }

  #lines(stage: Stage): readonly QuestionLine[] {
    switch (stage.kind) {
      case 'asked':
        return this.#asked.lines;
      case 'field': {
        const field = stage.form.fields[stage.at];
        if (field === undefined) return [];
        return [
          { kind: 'input', text: `${MARGIN}${describeField(field)}` },
          ...(isSecret(field) ? [{ kind: 'danger', text: `  ! ${SECRET_WARNING}` } as const] : []),
          ...valueLines(field).map((text): QuestionLine => ({ kind: 'input', text })),
        ];
      }
      case 'filled':
        return describeContent(stage.form, this.#values).map((text, index) => ({
          kind: 'input',
          text: index === 0 ? `  ${text}` : `  |${text.slice(1)}`,
        }));
      default:
        return stage satisfies never;
    }
  }
}

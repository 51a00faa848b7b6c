/** A server's question: its page, or its form, field by field, shown once more before anything is sent. */

import type { ElicitationField, ElicitationForm } from '../../../../protocol/mcp/elicitation-form.js';
import { isSecret } from '../../../../protocol/mcp/read-fields.js';
import {
  acceptAtOnce,
  CANCELLED,
  DECLINED,
  describeContent,
  describeYes,
  sendContent,
} from '../../../questions/form-answers.js';
import { type FieldValue, readField, valueLines } from '../../../questions/read-field.js';
import { describeField, SECRET_WARNING } from '../../../view/describe/describe-elicitation.js';
import type { QuestionLine } from '../../../view/describe/question-line.js';
import type { QuestionText } from '../../parts/question-rows.js';
import { LineField } from './line-field.js';
import type { Choice, FormHost, OpenField, QuestionForm } from './question-form.js';

/** Before it is answered, at a field, or filled in and not yet sent. */
type Stage = { readonly kind: 'asked' | 'filled' } | { readonly kind: 'field'; readonly at: number };

export class ElicitationFormView implements QuestionForm {
  readonly isReady = true;
  readonly isList = true;
  readonly needsEnter = false;
  readonly hints: readonly string[] = [];
  readonly only = undefined;
  /** What goes to a server is never sent by Enter alone. */
  readonly preset = undefined;
  readonly #host: FormHost;
  readonly #form: ElicitationForm;
  readonly #fields: readonly ElicitationField[];
  readonly #lines: readonly QuestionLine[];
  /** As typed, by place: to go back to. */
  readonly #typed: LineField[];
  readonly #values = new Map<string, FieldValue>();
  #stage: Stage = { kind: 'asked' };
  #warning: string | undefined;
  #text: QuestionText;

  constructor(host: FormHost, form: ElicitationForm, lines: readonly QuestionLine[]) {
    this.#host = host;
    this.#form = form;
    this.#fields = form.mode === 'form' ? form.fields : [];
    this.#lines = lines;
    this.#typed = this.#fields.map(() => new LineField());
    this.#text = this.#compose();
  }

  get field(): OpenField | undefined {
    const stage = this.#stage;
    if (stage.kind !== 'field') return undefined;
    const field = this.#fields[stage.at];
    const line = this.#typed[stage.at];
    if (field === undefined || line === undefined) return undefined;
    return {
      label: `${stage.at + 1} of ${this.#fields.length}`,
      line,
      hints: ['enter: next', 'esc back', 'nothing is sent before you have seen all of it'],
      ...(this.#warning === undefined ? {} : { warning: this.#warning }),
      submit: (text) => this.#fill(field, stage.at, text),
      leave: () => this.#turnTo(stage.at === 0 ? { kind: 'asked' } : { kind: 'field', at: stage.at - 1 }),
    };
  }

  text(): QuestionText {
    return this.#text;
  }

  choices(): readonly Choice[] {
    const { give } = this.#host;
    const no: readonly Choice[] = [
      { keys: ['3', 'n'], text: 'no, decline', pick: () => give(DECLINED) },
      { keys: ['c'], text: 'cancel: neither yes nor no', pick: () => give(CANCELLED) },
    ];
    if (this.#stage.kind === 'asked') {
      return [{ keys: ['1', 'y'], text: describeYes(this.#form), pick: () => this.#accept() }, ...no];
    }
    return [
      { keys: ['1', 'y'], text: 'send it', pick: () => give(sendContent(this.#values)) },
      { keys: ['2', 'e'], text: 'enter it again', pick: () => this.#turnTo({ kind: 'field', at: 0 }) },
      ...no,
    ];
  }

  #accept(): void {
    const answer = acceptAtOnce(this.#form);
    if (answer !== undefined) this.#host.give(answer);
    else this.#turnTo({ kind: 'field', at: 0 });
  }

  #fill(field: ElicitationField, at: number, text: string): void {
    const read = readField(field, text);
    if (!read.ok) {
      this.#warning = `${read.reason}.`;
      this.#host.changed();
      return;
    }
    if (read.value === undefined) this.#values.delete(field.name);
    else this.#values.set(field.name, read.value);
    this.#turnTo(at + 1 < this.#fields.length ? { kind: 'field', at: at + 1 } : { kind: 'filled' });
  }

  #turnTo(stage: Stage): void {
    this.#stage = stage;
    this.#warning = undefined;
    this.#text = this.#compose();
    this.#host.changed({ at: undefined });
  }

  #compose(): QuestionText {
    const [title, ...rest] = this.#lines;
    const head = title?.text ?? '';
    return { head, details: [], lines: this.#stageLines(rest), marks: [] };
  }

  #stageLines(asked: readonly QuestionLine[]): readonly QuestionLine[] {
    const stage = this.#stage;
    switch (stage.kind) {
      case 'asked':
        return asked;
      case 'field': {
        const field = this.#fields[stage.at];
        if (field === undefined) return [];
        return [
          { kind: 'input', text: `  | ${describeField(field)}` },
          ...(isSecret(field) ? [{ kind: 'danger', text: `  ! ${SECRET_WARNING}` } as const] : []),
          ...valueLines(field).map((text): QuestionLine => ({ kind: 'input', text })),
        ];
      }
      case 'filled':
        if (this.#form.mode !== 'form') return [];
        return describeContent(this.#form, this.#values).map((text, index) => ({
          kind: 'input',
          text: index === 0 ? `  ${text}` : `  |${text.slice(1)}`,
        }));
      default:
        return stage satisfies never;
    }
  }
}

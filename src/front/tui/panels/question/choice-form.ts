/** A form where one of the choices is the answer: at once, after a written line, or after editing a document. */

import { shortName } from '../../../questions/name-requester.js';
import type { ChoiceQuestion, Listed, QuestionDocument, WriteEffect } from '../../../questions/question-description.js';
import type { QuestionLine, QuestionText } from '../../../questions/question-lines.js';
import { LineEditor } from '../../input/line-editor.js';
import { type Choice, type FormHost, inKeyOrder, type OpenField, type QuestionForm } from './question-form.js';

type Choices = ReturnType<ChoiceQuestion['choices']>;
type Writing = { readonly line: LineEditor; readonly effect: WriteEffect };

export class ChoiceForm implements QuestionForm {
  readonly hints: readonly string[] = [];
  readonly needsEnter: boolean;
  readonly preset: number | undefined;
  readonly isList: boolean;
  readonly #host: FormHost;
  #question: ChoiceQuestion;
  #choices: Choices;
  #input: readonly QuestionLine[] | undefined;
  #text: { readonly of: string; readonly text: QuestionText } | undefined;
  #field: Writing | undefined;
  #only: string | undefined;

  constructor(host: FormHost, question: ChoiceQuestion, [{ destroys }]: Listed) {
    this.#host = host;
    this.#question = question;
    this.#choices = inKeyOrder(question.choices());
    this.isList = question.isList === true;
    this.needsEnter = destroys.length > 0;
    const plainYes = this.#choices.findIndex(({ button }) => button?.id === 'allow');
    this.preset = this.needsEnter || question.isOpen ? undefined : plainYes;
    if (question.input === undefined) this.#input = [];
    else void this.#describe(question.input);
  }

  get isReady(): boolean {
    return this.#input !== undefined;
  }

  get only(): string | undefined {
    return this.#only;
  }

  get field(): OpenField | undefined {
    if (this.#field === undefined) return undefined;
    const { line, effect } = this.#field;
    return {
      label: effect.label,
      line,
      hints: [effect.hint, 'esc back'],
      submit: (text) => this.#host.give(effect.answer(text)),
      leave: () => this.#write(undefined),
    };
  }

  appeared(): void {
    const { document } = this.#question;
    if (document !== undefined) this.#host.onDocument(document.text);
  }

  text(listed: Listed): QuestionText {
    const of = JSON.stringify([listed.map(({ id }) => id), this.#only, this.isReady]);
    if (this.#text?.of !== of) {
      this.#text = { of, text: this.#question.text(listed, { only: this.#only, input: this.#input }) };
    }
    return this.#text.text;
  }

  choices(listed: Listed): readonly Choice[] {
    return [...this.#choices.map((choice) => this.#choice(choice)), ...this.#narrow(listed)];
  }

  #choice({ keys = [], label, short = label, effect }: Choices[number]): Choice {
    const shown = { keys, text: short };
    switch (effect.kind) {
      case 'answer':
        return { ...shown, pick: () => this.#host.give(effect.answer) };
      case 'write':
        return { ...shown, isStep: true, pick: () => this.#write({ line: new LineEditor(), effect }) };
      case 'edit':
        return { ...shown, isStep: true, pick: () => void this.#edit(effect.document) };
      default:
        return effect satisfies never;
    }
  }

  /** Switches between the first agent alone and all of them. */
  #narrow([first, ...others]: Listed): readonly Choice[] {
    if (others.length === 0) return [];
    const text = this.#only === undefined ? `only ${shortName(first.agent)}` : `all ${others.length + 1}`;
    const pick = () => {
      this.#only = this.#only === undefined ? first.id : undefined;
      this.#host.changed({ at: this.preset });
    };
    return [{ keys: ['s'], text, isStep: true, pick }];
  }

  #write(field: Writing | undefined): void {
    this.#field = field;
    this.#host.changed();
  }

  /** An accepted document is printed first, as edited. */
  async #edit(document: QuestionDocument): Promise<void> {
    const edited = await this.#host.editText(document.text).catch(() => undefined);
    if (edited === undefined || edited.trim() === '' || edited.trimEnd() === document.text.trimEnd()) return;
    this.#question = document.change(edited);
    this.#choices = inKeyOrder(this.#question.choices());
    this.#text = undefined;
    this.#host.onDocument(edited);
    this.#host.changed();
  }

  async #describe(input: () => Promise<readonly QuestionLine[]>): Promise<void> {
    this.#input = await input();
    this.#host.changed();
  }
}

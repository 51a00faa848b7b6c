/** A form for questions with options, one after another: one option, several, or a free answer (EX-16). */

import { escapeToLine } from '../../../../protocol/escape-controls.js';
import type { UserQuestion } from '../../../../protocol/tools/ask-user-question.js';
import {
  answerOptions,
  describeAsked,
  describeOption,
  describePreview,
  joinLabels,
} from '../../../questions/options.js';
import type { Listed, OptionsQuestion } from '../../../questions/question-description.js';
import type { QuestionText } from '../../../questions/question-lines.js';
import { LineEditor } from '../../input/line-editor.js';
import type { Choice, FormHost, OpenField, QuestionForm } from './question-form.js';

export class OptionsForm implements QuestionForm {
  readonly isReady = true;
  readonly isList = true;
  readonly needsEnter = false;
  readonly only = undefined;
  readonly preset = 0;
  readonly #host: FormHost;
  readonly #asked: OptionsQuestion;
  readonly #answers = new Map<string, string>();
  #at = 0;
  /** Marked so far, with multiple choice. */
  #marked = new Set<string>();
  #own = '';
  #line: LineEditor | undefined;
  #highlight: number | undefined = 0;
  #text: { readonly of: string; readonly text: QuestionText } | undefined;

  constructor(host: FormHost, asked: OptionsQuestion) {
    this.#host = host;
    this.#asked = asked;
  }

  get hints(): readonly string[] {
    return this.#question?.multiSelect === true ? ['space mark', 'enter accept the marked'] : [];
  }

  get field(): OpenField | undefined {
    const line = this.#line;
    if (line === undefined) return undefined;
    return {
      label: 'your answer',
      line,
      hints: ['enter accept', 'esc back'],
      submit: (text) => this.#submitOwn(text.trim()),
      leave: () => this.#write(undefined),
    };
  }

  highlighted(index: number | undefined): void {
    this.#highlight = index;
  }

  text(listed: Listed): QuestionText {
    const of = JSON.stringify([listed.map(({ id }) => id), this.#at, this.#highlight]);
    if (this.#text?.of !== of) this.#text = { of, text: this.#compose(listed) };
    return this.#text.text;
  }

  choices(): readonly Choice[] {
    const question = this.#question;
    if (question === undefined) return [];
    const isOneOfMany = this.#questions.length > 1;
    return [
      ...question.options.map((option, index) => this.#option(question, option, index)),
      {
        keys: ['o'],
        text: `other…${this.#own === '' ? '' : ` (${escapeToLine(this.#own)})`}`,
        isStep: true,
        pick: () => this.#write(new LineEditor(this.#own)),
      },
      ...(isOneOfMany ? [{ keys: ['-'], text: 'skip this question', pick: () => this.#next(undefined) }] : []),
      ...(this.#at > 0
        ? [{ keys: ['b'], text: 'previous question', isStep: true as const, pick: () => this.#back() }]
        : []),
      {
        keys: ['n'],
        text: isOneOfMany ? 'skip all' : 'skip',
        pick: () => this.#host.give({ behavior: 'deny' }),
      },
    ];
  }

  get #questions(): readonly UserQuestion[] {
    return this.#asked.asked;
  }

  get #question(): UserQuestion | undefined {
    return this.#questions[this.#at];
  }

  #option(question: UserQuestion, option: UserQuestion['options'][number], index: number): Choice {
    const { label } = option;
    const keys = [String(index + 1)];
    if (question.multiSelect !== true) return { keys, text: describeOption(option), pick: () => this.#next(label) };
    const text = `[${this.#marked.has(label) ? 'x' : ' '}] ${describeOption(option)}`;
    return { keys, text, isStep: true, pick: () => this.#mark(label), enter: () => this.#takeMarked(label) };
  }

  #mark(label: string): void {
    if (!this.#marked.delete(label)) this.#marked.add(label);
    this.#host.changed();
  }

  /** If none is marked, the highlighted one is the answer. */
  #takeMarked(highlighted: string): void {
    const labels = this.#question?.options.map(({ label }) => label).filter((label) => this.#marked.has(label)) ?? [];
    const answers = [...labels, ...(this.#own === '' ? [] : [this.#own])];
    this.#next(joinLabels(answers.length === 0 ? [highlighted] : answers));
  }

  #submitOwn(text: string): void {
    this.#line = undefined;
    this.#own = text;
    if (text === '' || this.#question?.multiSelect === true) this.#host.changed({ at: 0 });
    else this.#next(text);
  }

  #write(line: LineEditor | undefined): void {
    this.#line = line;
    this.#host.changed();
  }

  /** `answer` undefined: skips this question. */
  #next(answer: string | undefined): void {
    const asked = this.#question?.question ?? '';
    if (answer === undefined) this.#answers.delete(asked);
    else this.#answers.set(asked, answer);
    if (this.#at + 1 < this.#questions.length) this.#turnTo(this.#at + 1);
    else this.#host.give(answerOptions(this.#answers));
  }

  #back(): void {
    this.#turnTo(this.#at - 1);
  }

  #turnTo(at: number): void {
    this.#at = at;
    this.#marked = new Set();
    this.#own = '';
    this.#host.changed({ at: 0 });
  }

  #compose(listed: Listed): QuestionText {
    const count = this.#questions.length;
    const step = count === 1 ? undefined : `${this.#at + 1} of ${count}`;
    const question = this.#question;
    const highlighted = this.#highlight === undefined ? undefined : question?.options[this.#highlight];
    const lines = [
      ...(question === undefined ? [] : describeAsked(question)),
      ...describePreview(highlighted?.preview),
    ];
    return { ...this.#asked.text(listed, { step }), lines };
  }
}

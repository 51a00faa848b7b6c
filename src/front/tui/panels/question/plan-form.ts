/** A plan, printed into the history: go, with or without a question for each edit, change it, or say what is wrong (TU-16). */

import { escapeToLine } from '../../../../protocol/escape-controls.js';
import type { PermissionQuestion } from '../../../../protocol/permission.js';
import { acceptPlan } from '../../../questions/plan-answers.js';
import { refuse } from '../../../questions/refuse.js';
import type { QuestionText } from '../../parts/question-rows.js';
import { LineField } from './line-field.js';
import { longName } from './name-requester.js';
import { type Choice, type FormHost, type OpenField, type QuestionForm, reasonField } from './question-form.js';

export class PlanForm implements QuestionForm {
  readonly isReady = true;
  readonly isList = false;
  readonly needsEnter = false;
  readonly hints: readonly string[] = [];
  readonly only = undefined;
  readonly preset: number;
  readonly #host: FormHost;
  readonly #question: PermissionQuestion;
  readonly #given: NonNullable<PermissionQuestion['plan']>;
  #plan: string;
  #text: QuestionText;
  #remark: LineField | undefined;
  #isEdited = false;

  constructor(host: FormHost, question: PermissionQuestion, given: NonNullable<PermissionQuestion['plan']>) {
    this.#host = host;
    this.#question = question;
    this.#given = given;
    this.#plan = given.text;
    // The narrower yes is highlighted.
    this.preset = this.#offersEdits ? 1 : 0;
    this.#text = this.#compose();
  }

  get field(): OpenField | undefined {
    const line = this.#remark;
    if (line === undefined) return undefined;
    return {
      ...reasonField(
        line,
        (text) => this.#host.give(refuse(text)),
        () => this.#write(undefined),
      ),
      label: 'change it, because',
      hints: ['enter: planning goes on', 'esc back'],
    };
  }

  appeared(): void {
    this.#host.onPlan(this.#plan);
  }

  text(): QuestionText {
    return this.#text;
  }

  choices(): readonly Choice[] {
    const { give } = this.#host;
    const go = (edits: 'ask' | 'accept') => () => give(acceptPlan(this.#given, this.#plan, edits));
    return [
      ...(this.#offersEdits ? [{ keys: ['1'], text: 'go, edits accepted', pick: go('accept') }] : []),
      { keys: ['2'], text: 'go, ask', pick: go('ask') },
      { keys: ['3', 'n'], text: 'change it, because…', isStep: true, pick: () => this.#write(new LineField()) },
      { keys: ['ctrl+g'], text: 'edit it', isStep: true, pick: () => void this.#edit() },
    ];
  }

  get #offersEdits(): boolean {
    return this.#question.offers.some((offer) => offer.kind === 'mode' && offer.mode === 'acceptEdits');
  }

  #write(line: LineField | undefined): void {
    this.#remark = line;
    this.#host.changed();
  }

  /** What is accepted is printed before: the plan as the person left it. */
  async #edit(): Promise<void> {
    const edited = await this.#host.editText(this.#plan).catch(() => undefined);
    if (edited === undefined || edited.trim() === '' || edited.trimEnd() === this.#plan.trimEnd()) return;
    this.#plan = edited;
    this.#isEdited = true;
    this.#text = this.#compose();
    this.#host.onPlan(edited);
    this.#host.changed();
  }

  #compose(): QuestionText {
    const { agent } = this.#question;
    const head = `${longName(agent)} has a plan${this.#isEdited ? ', as you changed it' : ''}`;
    const text = `  nothing is changed until you accept it; it is kept in ${escapeToLine(this.#given.file)}`;
    return { head, details: [{ kind: 'detail', text }], lines: [], marks: [] };
  }
}

/**
 * The questions of all agents at the terminal: one is shown, with everyone who asks the same; keys answer it, set it aside
 * or skip it. It stays until it is settled, set aside or skipped.
 */

import type { PermissionAnswer, PermissionQuestion } from '../../../protocol/permission.js';
import { groupQuestions, type QuestionGroup } from '../../questions/group-questions.js';
import { keepOffered } from '../../questions/offer-choices.js';
import type { Listed } from '../../questions/question-description.js';
import { describeQuestion } from '../../questions/question-kinds.js';
import { AnswerGuard } from '../input/answer-guard.js';
import type { KeyEvent } from '../input/key-event.js';
import type { Frame } from '../screen/frame.js';
import type { Theme } from '../theme/theme.js';
import { ChoiceForm } from './question/choice-form.js';
import { FieldsForm } from './question/fields-form.js';
import { OptionsForm } from './question/options-form.js';
import type { FormHost, QuestionForm } from './question/question-form.js';
import { ShownForm } from './question/shown-form.js';

export type QuestionPanelOptions = {
  /** Resolves even if the answer is too late. */
  readonly answer: (question: string, answer: PermissionAnswer) => Promise<unknown>;
  /** Takes key events that turned out to be text, in order. */
  readonly toEditor: (presses: readonly KeyEvent[]) => void;
  /** Calls `run` after `ms`; returns a function that cancels it. */
  readonly later: (ms: number, run: () => void) => () => void;
  readonly now: () => number;
  /** Opens the user's editor. Undefined: unchanged. */
  readonly editText: (text: string) => Promise<string | undefined>;
  readonly paint: () => void;
  /** Prints a document, such as a plan, into the history. */
  readonly onDocument?: (text: string) => void;
};

type Space = {
  readonly width: number;
  readonly maxRows: number;
  /** True if the editor has text; if omitted, as with the last key. */
  readonly hasDraft?: boolean;
};

export class QuestionPanel {
  readonly #options: QuestionPanelOptions;
  readonly #guard = new AnswerGuard();
  #open: readonly PermissionQuestion[] = [];
  /** Answered, but not reported as settled yet. */
  readonly #answered = new Set<string>();
  /** Keys of groups. */
  readonly #aside = new Set<string>();
  /** By key: keeps what was written for a question that was set aside. */
  readonly #forms = new Map<string, ShownForm>();
  #shown: { readonly group: QuestionGroup; readonly form: ShownForm } | undefined;
  #hasDraft = false;

  constructor(options: QuestionPanelOptions) {
    this.#options = options;
  }

  /** All open questions, oldest first. */
  update(questions: readonly PermissionQuestion[]): void {
    this.#open = questions;
    const ids = new Set(questions.map(({ id }) => id));
    for (const id of this.#answered) if (!ids.has(id)) this.#answered.delete(id);
    this.#settle();
  }

  /** Number of open questions, including those set aside. */
  get waiting(): number {
    return this.#unanswered().length;
  }

  /** The shown question: the oldest, if several ask the same. */
  get asked(): PermissionQuestion | undefined {
    return this.#shown?.group.members[0];
  }

  /** True if the user turned to it: it gets the keys. */
  get hasFocus(): boolean {
    return this.#guard.hasFocus;
  }

  isAskedBy(agent: string): boolean {
    return this.#shown !== undefined && isOf(this.#shown.group, agent);
  }

  /** The user views this agent: its question is shown. */
  turnTo(agent: string, which?: 'also what was set aside'): void {
    if (this.isAskedBy(agent)) return;
    const found = this.#groups().find(
      (group) => isOf(group, agent) && (which !== undefined || !this.#aside.has(group.key)),
    );
    if (found === undefined) return;
    this.#aside.delete(found.key);
    this.#show(found);
    this.#options.paint();
  }

  /** Takes every key first, also without a question: it is recorded as typing. */
  press(event: KeyEvent, { hasDraft }: { readonly hasDraft: boolean }): 'taken' | 'ignored' {
    if (event.kind !== 'key' && event.kind !== 'paste') return 'ignored';
    this.#hasDraft = hasDraft;
    const shown = this.#shown;
    const name = event.kind === 'key' ? event.name : undefined;
    if (shown === undefined) {
      this.typed();
      if (name !== 'tab' || this.waiting === 0) return 'ignored';
      this.bringUp();
      return 'taken';
    }
    if (!shown.form.hasField && name === 'esc') {
      this.#flush(event);
      this.setAside();
      return 'taken';
    }
    if (!shown.form.hasField && name === 'tab') {
      this.#flush(event);
      if (hasDraft && !this.#guard.hasFocus) this.#guard.focus(this.#options.now());
      else this.#passBy(shown.group);
      this.#options.paint();
      return 'taken';
    }
    return shown.form.press(event, hasDraft);
  }

  /** Records a key that went elsewhere (to a page, to a menu) as typing. */
  typed(): void {
    this.#guard.typed(this.#options.now());
  }

  /** Leaves the question unanswered and shows the next one, if there is one. */
  setAside(): void {
    if (this.#shown === undefined) return;
    this.#aside.add(this.#shown.group.key);
    this.#show(undefined);
    this.#settle();
  }

  /** The oldest question that was set aside. */
  bringUp(): void {
    if (this.#shown === undefined) {
      const group = this.#groups()[0];
      if (group === undefined) return;
      this.#aside.delete(group.key);
      this.#show(group);
    }
    this.#guard.focus(this.#options.now());
    this.#options.paint();
  }

  rows({ width, maxRows, hasDraft = this.#hasDraft }: Space, theme: Theme): Frame {
    const shown = this.#shown;
    if (shown === undefined || maxRows < 1) return { rows: [] };
    const groups = this.#groups();
    const at = groups.findIndex(({ key }) => key === shown.group.key);
    const position = groups.length > 1 ? `${at + 1} of ${groups.length}` : undefined;
    return shown.form.frame({ width, maxRows, hasDraft, position }, theme);
  }

  /** A held key turned out to be text. */
  #flush(event: KeyEvent): void {
    const verdict = this.#guard.take(event, this.#options.now(), { role: 'none', hasDraft: this.#hasDraft });
    if (verdict.kind === 'text' && verdict.held !== undefined) this.#options.toEditor([verdict.held]);
  }

  #unanswered(): readonly PermissionQuestion[] {
    return this.#open.filter(({ id }) => !this.#answered.has(id));
  }

  #groups(): readonly QuestionGroup[] {
    return groupQuestions(this.#unanswered());
  }

  /** The shown question stays while it is open; otherwise the oldest that was not set aside is shown. */
  #settle(): void {
    const groups = this.#groups();
    const keys = new Set(groups.map(({ key }) => key));
    for (const key of this.#aside) if (!keys.has(key)) this.#aside.delete(key);
    for (const [key, form] of this.#forms) {
      const group = groups.find((one) => one.key === key);
      if (group !== undefined && form.isFor(group.members)) continue;
      form.close();
      this.#forms.delete(key);
      if (this.#shown?.form === form) this.#show(undefined);
    }
    const current = groups.find(({ key }) => key === this.#shown?.group.key);
    if (this.#shown !== undefined && current !== undefined) this.#join(current, this.#shown.form);
    else this.#show(groups.find(({ key }) => !this.#aside.has(key)));
    this.#options.paint();
  }

  #join(group: QuestionGroup, form: ShownForm): void {
    this.#shown = { group, form };
    form.members = group.members;
  }

  /** Keys meant for the previous question don't apply to this one. */
  #show(group: QuestionGroup | undefined): void {
    this.#guard.hide();
    this.#shown?.form.leave();
    this.#shown = undefined;
    if (group === undefined) return;
    const form = this.#forms.get(group.key) ?? this.#makeForm(group);
    this.#forms.set(group.key, form);
    this.#join(group, form);
  }

  #makeForm({ key, members }: QuestionGroup): ShownForm {
    const { editText, onDocument = () => {} } = this.#options;
    return new ShownForm({
      ...this.#options,
      guard: this.#guard,
      members,
      make: (host) => makeForm({ ...host, editText, onDocument }, members),
      give: (listed, answer) => this.#give(key, listed, answer),
    });
  }

  /** Answers the listed questions one by one; a choice that one did not offer is not saved for it. */
  #give(key: string, listed: Listed, answer: PermissionAnswer): void {
    this.#forms.get(key)?.close();
    this.#forms.delete(key);
    for (const question of listed) {
      this.#answered.add(question.id);
      this.#options.answer(question.id, keepOffered(answer, question)).catch(() => {
        this.#answered.delete(question.id);
        this.#settle();
      });
    }
    this.#show(undefined);
    this.#settle();
  }

  /** Shows the next question, after the last the first. */
  #passBy(group: QuestionGroup): void {
    const groups = this.#groups();
    const at = groups.findIndex(({ key }) => key === group.key);
    const next = groups[(at + 1) % groups.length];
    if (next !== undefined && next.key !== group.key) {
      this.#aside.delete(next.key);
      this.#show(next);
    }
    this.#guard.focus(this.#options.now());
  }
}

/** Chooses the form by the way of answering. */
function makeForm(host: FormHost, listed: Listed): QuestionForm {
  const question = describeQuestion(listed[0]);
  switch (question.form) {
    case 'choose':
      return new ChoiceForm(host, question, listed);
    case 'fields':
      return new FieldsForm(host, question, listed);
    case 'options':
      return new OptionsForm(host, question);
    default:
      return question satisfies never;
  }
}

function isOf({ members }: QuestionGroup, agent: string): boolean {
  return members.some((question) => question.agent.id === agent);
}

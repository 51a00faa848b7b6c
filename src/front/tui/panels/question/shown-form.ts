/** A form on the screen: highlight, scrolling, and which keys choose or are text (TU-15). */

import { escapeToLine } from '../../../../protocol/escape-controls.js';
import type { PermissionAnswer } from '../../../../protocol/permission.js';
import type { Listed } from '../../../questions/question-description.js';
import type { AnswerGuard } from '../../input/answer-guard.js';
import type { KeyEvent, NamedKey } from '../../input/key-event.js';
import { questionRows, type ShownQuestion } from '../../parts/question-rows.js';
import type { Frame } from '../../screen/frame.js';
import type { Theme } from '../../theme/theme.js';
import { ARROWS, HeldChoice, isScroll, meaningOf, roleOf } from './key-meaning.js';
import type { Choice, FormHost, OpenField, QuestionForm } from './question-form.js';

export type ShownFormOptions = {
  readonly guard: AnswerGuard;
  readonly members: Listed;
  readonly make: (host: Pick<FormHost, 'give' | 'changed'>) => QuestionForm;
  readonly give: (listed: Listed, answer: PermissionAnswer) => void;
  readonly toEditor: (presses: readonly KeyEvent[]) => void;
  readonly later: (ms: number, run: () => void) => () => void;
  readonly now: () => number;
  readonly paint: () => void;
};

type View = {
  readonly width: number;
  readonly maxRows: number;
  readonly hasDraft: boolean;
  /** `2 of 5`, if there are several. */
  readonly position: string | undefined;
};

export class ShownForm {
  /** The agents that ask now. */
  members: Listed;
  readonly #options: ShownFormOptions;
  readonly #form: QuestionForm;
  readonly #held: HeldChoice;
  /** The agents listed when it was last painted: the answer applies to them. */
  #listed: Listed | undefined;
  /** The same, at the time of the choosing key. */
  #answering: Listed | undefined;
  #highlight: number | undefined;
  #scrolled = 0;
  #most = 0;
  #step = 1;
  #hasAppeared = false;
  #isClosed = false;

  constructor(options: ShownFormOptions) {
    this.#options = options;
    this.#held = new HeldChoice(options);
    this.members = options.members;
    this.#form = options.make({
      give: (answer) => this.#give(answer),
      changed: (change) => {
        if (this.#isClosed) return;
        if (change !== undefined) {
          this.#moveTo(change.at);
          // The choices changed: the key was meant for the earlier ones.
          options.guard.turn();
        }
        options.paint();
      },
    });
    this.#moveTo(this.#form.preset);
  }

  get hasField(): boolean {
    return this.#form.field !== undefined;
  }

  /** False: it was for a single agent, which no longer asks. */
  isFor(members: Listed): boolean {
    const { only } = this.#form;
    return only === undefined || members.some(({ id }) => id === only);
  }

  /** Off the screen, for now. */
  leave(): void {
    this.#held.cancel();
    this.#listed = undefined;
    this.#answering = undefined;
  }

  /** The question is settled. Text being written goes to the editor, so that nothing typed is lost. */
  close(): void {
    const written = this.#isClosed ? '' : (this.#form.field?.line.text ?? '');
    this.#isClosed = true;
    this.leave();
    if (written.trim() !== '') this.#options.toEditor([{ kind: 'paste', text: written }]);
  }

  frame({ width, maxRows, hasDraft, position }: View, theme: Theme): Frame {
    const { guard, now } = this.#options;
    const text = this.#form.text(this.members);
    const frame = questionRows(this.#show(text, hasDraft, position), { width, maxRows }, theme);
    this.#most = frame.most;
    this.#step = frame.step;
    this.#scrolled = Math.min(this.#scrolled, frame.most);
    if (this.#form.isReady && frame.isReadable) {
      this.#listed = this.members;
      guard.show(now());
      if (!this.#hasAppeared) this.#form.appeared?.();
      this.#hasAppeared = true;
    }
    return { rows: frame.rows, cursor: frame.cursor };
  }

  press(event: KeyEvent, hasDraft: boolean): 'taken' | 'ignored' {
    const { guard, now, toEditor } = this.#options;
    const field = this.#form.field;
    if (field !== undefined) return this.#write(event, field);
    const role = roleOf(event, this.#offered, this.#most > 0);
    const verdict = guard.take(event, now(), { role, hasDraft });
    switch (verdict.kind) {
      case 'act':
        if (event.kind === 'key') this.#act(event);
        return 'taken';
      case 'held':
        this.#answering = this.#listed;
        this.#held.wait(({ name }) => this.#choose(name));
        return 'taken';
      case 'text': {
        this.#held.cancel();
        const { held } = verdict;
        if (held === undefined) return this.#scroll(event) ? 'taken' : 'ignored';
        const isText = event.kind === 'paste' || (event.kind === 'key' && isTyped(event));
        toEditor(isText ? [held, event] : [held]);
        return isText ? 'taken' : 'ignored';
      }
      default:
        return verdict satisfies never;
    }
  }

  #show(text: ShownQuestion['text'], hasDraft: boolean, position: string | undefined): ShownQuestion {
    const { guard } = this.#options;
    const field = this.#form.field;
    const isAway = field === undefined && hasDraft && !guard.hasFocus;
    const isPicked = this.#form.needsEnter && this.#highlight !== undefined;
    const hints = [
      ...(field?.hints ?? this.#form.hints),
      ...(field === undefined && isPicked ? ['enter confirm'] : []),
      ...(isAway ? ['tab focus'] : []),
    ];
    return {
      text,
      ...(position === undefined ? {} : { position }),
      isList: this.#form.isList,
      choices: this.#choices().map(({ keys, text }, index) => ({
        key: keys[0] ?? '',
        text,
        isHighlighted: index === this.#highlight,
      })),
      hints,
      isAway,
      ...(field === undefined ? {} : { field: showField(field) }),
      scrolled: this.#scrolled,
    };
  }

  #choices(): readonly Choice[] {
    return this.#form.choices(this.members);
  }

  get #offered() {
    return { choices: this.#choices(), highlight: this.#highlight, needsEnter: this.#form.needsEnter };
  }

  #act({ name }: NamedKey): void {
    const by = ARROWS[name];
    if (by !== undefined) {
      const count = this.#choices().length;
      const from = this.#highlight ?? (by > 0 ? -1 : count);
      this.#moveTo((from + by + count) % count);
      this.#options.paint();
    } else if (!this.#scroll({ kind: 'key', name })) this.#choose(name);
  }

  /** Scrolling answers nothing, so it needs no pause. */
  #scroll(event: KeyEvent): boolean {
    if (event.kind !== 'key' || this.#most === 0) return false;
    const by = event.name.startsWith('ctrl+') ? 1 : this.#step;
    if (!isScroll(event.name)) return false;
    const to = this.#scrolled + (event.name.endsWith('up') ? -by : by);
    this.#scrolled = Math.max(0, Math.min(to, this.#most));
    this.#options.paint();
    return true;
  }

  #choose(name: string): void {
    const choice = meaningOf(name, this.#offered);
    if (choice === undefined || this.#isClosed) return;
    this.#moveTo(choice.index);
    this.#answering ??= this.#listed;
    choice.run();
    this.#answering = undefined;
    this.#options.paint();
  }

  #write(event: KeyEvent, field: OpenField): 'taken' | 'ignored' {
    const { guard, now, paint } = this.#options;
    guard.wrote(now());
    if (this.#scroll(event)) return 'taken';
    const name = event.kind === 'key' ? event.name : undefined;
    if (name === 'enter') field.submit(field.line.text);
    else if (name === 'esc') field.leave();
    // Keys of the program (interrupt, redraw) still apply.
    else if (!field.line.press(event) && name !== undefined && /^(?:ctrl|alt)\+/.test(name)) return 'ignored';
    paint();
    return 'taken';
  }

  #give(answer: PermissionAnswer): void {
    if (this.#isClosed) return;
    const open = new Set(this.members.map(({ id }) => id));
    const { only } = this.#form;
    const listed = (this.#answering ?? this.#listed ?? []).filter(({ id }) => open.has(id) && (only ?? id) === id);
    const [first, ...others] = listed;
    if (first === undefined) return;
    // The written text is the answer now: it does not go to the editor.
    this.#isClosed = true;
    this.leave();
    this.#options.give([first, ...others], answer);
  }

  #moveTo(at: number | undefined): void {
    this.#highlight = at;
    this.#form.highlighted?.(at);
  }
}

/** True if the key belongs in a line of text, or ends one. */
function isTyped({ name, text }: NamedKey): boolean {
  return text !== undefined || name === 'enter' || name === 'backspace';
}

function showField({ label, line, warning }: OpenField): NonNullable<ShownQuestion['field']> {
  return {
    label,
    before: escapeToLine(line.before),
    after: escapeToLine(line.after),
    ...(warning === undefined ? {} : { warning }),
  };
}

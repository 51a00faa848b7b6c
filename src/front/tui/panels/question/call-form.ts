/** May this call run? Once, always by exactly the rule that is shown, or not, with a reason (TU-12, TU-14). */

import { escapeToLine } from '../../../../protocol/escape-controls.js';
import type { PermissionQuestion } from '../../../../protocol/permission.js';
import { type OfferChoice, offerChoices } from '../../../questions/offer-choices.js';
import { refuse } from '../../../questions/refuse.js';
import { describeInput } from '../../../view/describe/describe-question.js';
import type { QuestionLine } from '../../../view/describe/question-line.js';
import type { QuestionText } from '../../parts/question-rows.js';
import { widthOf } from '../../screen/width.js';
import { LineField } from './line-field.js';
import { headOf, shortName } from './name-requester.js';
import {
  type Choice,
  type FormHost,
  type Listed,
  type OpenField,
  type QuestionForm,
  reasonField,
} from './question-form.js';

/** A longer rule stands above the choices, where there is room for all of it. */
const LONGEST_RULE = 40;

export class CallForm implements QuestionForm {
  readonly isList = false;
  readonly hints: readonly string[] = [];
  readonly needsEnter: boolean;
  readonly preset: number | undefined;
  readonly #host: FormHost;
  readonly #question: PermissionQuestion;
  readonly #offers: readonly OfferChoice[];
  #input: readonly QuestionLine[] | undefined;
  #text: { readonly of: string; readonly text: QuestionText } | undefined;
  #reason: LineField | undefined;
  #only: string | undefined;

  constructor(host: FormHost, question: PermissionQuestion) {
    this.#host = host;
    this.#question = question;
    this.#offers = offerChoices(question);
    this.needsEnter = question.destroys.length > 0;
    this.preset = this.needsEnter ? undefined : 0;
    void this.#describe();
  }

  get isReady(): boolean {
    return this.#input !== undefined;
  }

  get only(): string | undefined {
    return this.#only;
  }

  get field(): OpenField | undefined {
    const line = this.#reason;
    if (line === undefined) return undefined;
    return reasonField(
      line,
      (text) => this.#host.give(refuse(text)),
      () => this.#write(undefined),
    );
  }

  text(listed: Listed): QuestionText {
    const of = JSON.stringify([listed.map(({ id }) => id), this.#only, this.isReady]);
    if (this.#text?.of !== of) this.#text = { of, text: this.#compose(listed) };
    return this.#text.text;
  }

  choices(listed: Listed): readonly Choice[] {
    const always = this.#offers.find(({ choice }) => choice.kind === 'rule' && choice.where === 'session');
    const local = this.#offers.find(({ choice }) => isLocal(choice));
    const others = this.#offers.filter((offered) => offered !== always && offered !== local);
    return [
      { keys: ['1', 'y'], text: 'once', pick: () => this.#host.give({ behavior: 'allow' }) },
      ...(always === undefined ? [] : [this.#offer(['2', 'a'], always)]),
      ...(local === undefined ? [] : [this.#offer(['l'], local)]),
      { keys: ['3', 'n'], text: 'no, because…', isStep: true, pick: () => this.#write(new LineField()) },
      ...others.map((offered, index) => this.#offer([String(index + 4)], offered)),
      ...this.#narrow(listed),
    ];
  }

  #offer(keys: readonly string[], { choice, text, rank = 1 }: OfferChoice): Choice {
    const pick = () => this.#host.give({ behavior: 'allow', always: [choice] });
    if (choice.kind !== 'rule') return { keys, text, pick };
    // Beside the same rule for the session.
    const isRepeated = rank === 1 && this.#offers.some((other) => other.rank === 1 && !isLocal(other.choice));
    const rule = isLocal(choice) && isRepeated ? 'the same' : `always ${this.#shownRule(choice.rule)}`;
    return { keys, text: `${rule}${isLocal(choice) ? ' in local settings' : ''}`, pick };
  }

  #shownRule(rule: string): string {
    const { tool, input } = this.#question.call;
    if (!isLong(rule)) return escapeToLine(rule);
    return tool === 'Bash' && rule === `Bash(${input.command})` ? 'exactly this command' : LEFT_OUT;
  }

  /** For the first one alone, or for all again. */
  #narrow([first, ...others]: Listed): readonly Choice[] {
    if (others.length === 0) return [];
    const text = this.#only === undefined ? `only ${shortName(first.agent)}` : `all ${others.length + 1}`;
    const pick = () => {
      this.#only = this.#only === undefined ? first.id : undefined;
      this.#host.changed({ at: this.preset });
    };
    return [{ keys: ['s'], text, isStep: true, pick }];
  }

  #write(line: LineField | undefined): void {
    this.#reason = line;
    this.#host.changed();
  }

  async #describe(): Promise<void> {
    const { call } = this.#question;
    this.#input = await describeInput(call, { whole: true }).catch(() => [asItIs(call.input)]);
    this.#host.changed();
  }

  #compose(listed: Listed): QuestionText {
    const { call, destroys } = this.#question;
    const [input, lines] = splitInput(call.tool, this.#input ?? COMING);
    return {
      head: headOf(listed, 'asks', this.#only),
      call: { tool: escapeToLine(call.tool), ...(input === undefined ? {} : { input }) },
      details: [...this.#longRules(), ...describePlaces(listed)],
      lines,
      marks: destroys.map(escapeToLine),
    };
  }

  #longRules(): readonly QuestionLine[] {
    const rules = this.#offers.flatMap(({ choice }) => (choice.kind === 'rule' ? [choice.rule] : []));
    return [...new Set(rules)]
      .filter((rule) => this.#shownRule(rule) === LEFT_OUT)
      .map((rule) => ({ kind: 'detail', text: `  always: ${escapeToLine(rule)}` }));
  }
}

const LEFT_OUT = '…';
/** Until the input is described. */
const COMING: readonly QuestionLine[] = [{ kind: 'detail', text: '  …' }];

function isLong(rule: string): boolean {
  return widthOf(escapeToLine(rule)) > LONGEST_RULE;
}

function isLocal(choice: OfferChoice['choice']): boolean {
  return choice.kind === 'rule' && choice.where === 'local';
}

const MARGIN = '  | ';

/** An input of one line stands behind the tool's name. */
function splitInput(
  tool: string,
  lines: readonly QuestionLine[],
): readonly [string | undefined, readonly QuestionLine[]] {
  const [first, second] = lines;
  if (first?.kind !== 'input') return [undefined, lines];
  if (tool === 'Bash' && first.text.startsWith(MARGIN)) {
    return second?.text.startsWith(MARGIN) ? [undefined, lines] : [first.text.slice(MARGIN.length), lines.slice(1)];
  }
  return lines.length > 1 || first.text.startsWith(MARGIN) ? [undefined, lines] : [first.text.trimStart(), []];
}

/** Where each works, and why it asks; what several have in common is said once. */
function describePlaces(listed: Listed): readonly QuestionLine[] {
  const [first] = listed;
  const isShared = listed.every(({ cwd, reason }) => cwd === first.cwd && reason === first.reason);
  const shown = isShared ? [first] : listed;
  return shown.flatMap(({ agent, cwd, reason }): readonly QuestionLine[] => {
    const who = isShared ? '' : `${shortName(agent)} `;
    const task = agent.task === undefined ? '' : ` · for: ${escapeToLine(agent.task)}`;
    return [{ kind: 'detail', text: `  ${who}in ${escapeToLine(cwd)}${task} · because ${fromThere(cwd, reason)}` }];
  });
}

function fromThere(cwd: string, reason: string): string {
  return escapeToLine(cwd === '/' ? reason : reason.replaceAll(` ${cwd}/`, ' '));
}

function asItIs(input: unknown): QuestionLine {
  return { kind: 'input', text: `${MARGIN}${escapeToLine(JSON.stringify(input) ?? 'undefined')}` };
}

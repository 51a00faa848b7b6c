/** May this call run? Once, always by exactly the rule that is shown, or not, with a reason (TU-12, TU-14). */

import { makeVisibleLine } from '../../../../protocol/make-visible.js';
import type { PermissionQuestion } from '../../../../protocol/permission.js';
import { type OfferChoice, offerChoices } from '../../../questions/offer-choices.js';
import { refuse } from '../../../questions/refuse.js';
import { describeInput } from '../../../view/describe/describe-question.js';
import type { QuestionLine } from '../../../view/describe/question-line.js';
import type { QuestionText } from '../../parts/question-rows.js';
import { widthOf } from '../../screen/width.js';
import { LineField } from './line-field.js';
import { headOf, shortName } from './name-asker.js';
import { type Choice, type Listed, type OpenField, reasonField, type Sheet, type SheetDesk } from './sheet.js';

/** A longer rule stands above the choices, where there is room for all of it. */
const LONGEST_RULE = 40;

export class CallSheet implements Sheet {
  readonly isList = false;
  readonly hints: readonly string[] = [];
  readonly needsEnter: boolean;
  readonly preset: number | undefined;
  readonly #desk: SheetDesk;
  readonly #question: PermissionQuestion;
  readonly #offers: readonly OfferChoice[];
  #input: readonly QuestionLine[] | undefined;
  #text: { readonly of: string; readonly text: QuestionText } | undefined;
  #reason: LineField | undefined;
  #only: string | undefined;

  constructor(desk: SheetDesk, question: PermissionQuestion) {
    this.#desk = desk;
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
      (text) => this.#desk.give(refuse(text)),
      () => this.#write(undefined),
    );
  }

  text(listed: Listed): QuestionText {
    const of = JSON.stringify([listed.map(({ id }) => id), this.#only, this.isReady]);
    if (this.#text?.of !== of) this.#text = { of, text: this.#compose(listed) };
    return this.#text.text;
  }

  choices(listed: Listed): readonly Choice[] {
    const [always, ...more] = this.#offers.filter(({ choice }) => !isLocal(choice));
    const [local, ...moreLocal] = this.#offers.filter(({ choice }) => isLocal(choice));
    const first = always?.choice.kind === 'rule' ? always : undefined;
    const others = [...(first === undefined && always !== undefined ? [always] : []), ...more, ...moreLocal];
    return [
      { keys: ['1', 'y'], text: 'once', pick: () => this.#desk.give({ behavior: 'allow' }) },
      ...(first === undefined ? [] : [this.#offer(['2', 'a'], first)]),
      ...(local === undefined ? [] : [this.#offer(['l'], local)]),
      { keys: ['3', 'n'], text: 'no, because…', isStep: true, pick: () => this.#write(new LineField()) },
      ...others.map((offered, index) => this.#offer([String(index + 4)], offered)),
      ...this.#narrow(listed),
    ];
  }

  #offer(keys: readonly string[], { choice, text }: OfferChoice): Choice {
    const said = choice.kind !== 'rule' ? text : `always ${shownRule(choice.rule)}`;
    const isRepeated = choice.kind === 'rule' && choice.where === 'local' && this.#isInSession(choice.rule);
    const where = choice.kind === 'rule' && choice.where === 'local' ? ' in local settings' : '';
    const pick = () => this.#desk.give({ behavior: 'allow', always: [choice] });
    return { keys, text: `${isRepeated && keys[0] === 'l' ? 'the same' : said}${where}`, pick };
  }

  #isInSession(rule: string): boolean {
    return this.#offers.some(({ choice }) => choice.kind === 'rule' && choice.rule === rule && !isLocal(choice));
  }

  /** For the first one alone, or for all again. */
  #narrow([first, ...others]: Listed): readonly Choice[] {
    if (others.length === 0) return [];
    const text = this.#only === undefined ? `only ${shortName(first.agent)}` : `all ${others.length + 1}`;
    const pick = () => {
      this.#only = this.#only === undefined ? first.id : undefined;
      this.#desk.changed({ at: this.preset });
    };
    return [{ keys: ['s'], text, isStep: true, pick }];
  }

  #write(line: LineField | undefined): void {
    this.#reason = line;
    this.#desk.changed();
  }

  async #describe(): Promise<void> {
    const { call } = this.#question;
    this.#input = await describeInput(call, { whole: true }).catch(() => [asItIs(call.input)]);
    this.#desk.changed();
  }

  #compose(listed: Listed): QuestionText {
    const { call, destroys } = this.#question;
    const [input, lines] = splitInput(call.tool, this.#input ?? []);
    return {
      head: headOf(listed, 'asks', this.#only),
      call: { tool: makeVisibleLine(call.tool), ...(input === undefined ? {} : { input }) },
      details: [...describePlaces(listed), ...this.#longRules()],
      lines,
      marks: destroys.map(makeVisibleLine),
    };
  }

  #longRules(): readonly QuestionLine[] {
    const rules = this.#offers.flatMap(({ choice }) => (choice.kind === 'rule' ? [choice.rule] : []));
    return [...new Set(rules)]
      .filter((rule) => shownRule(rule) === LEFT_OUT)
      .map((rule, index) => ({
        kind: 'detail',
        text: `  always${index > 0 ? ` (${index + 1})` : ''}: ${makeVisibleLine(rule)}`,
      }));
  }
}

const LEFT_OUT = '…';

function shownRule(rule: string): string {
  const text = makeVisibleLine(rule);
  return widthOf(text) > LONGEST_RULE ? LEFT_OUT : text;
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
    const task = agent.task === undefined ? '' : ` · for: ${makeVisibleLine(agent.task)}`;
    return [{ kind: 'detail', text: `  ${who}in ${makeVisibleLine(cwd)}${task} · because ${fromThere(cwd, reason)}` }];
  });
}

function fromThere(cwd: string, reason: string): string {
  return makeVisibleLine(cwd === '/' ? reason : reason.replaceAll(` ${cwd}/`, ' '));
}

function asItIs(input: unknown): QuestionLine {
  return { kind: 'input', text: `${MARGIN}${makeVisibleLine(JSON.stringify(input) ?? 'undefined')}` };
}

/** Chooses the permission mode of a named child, and asks the person once whether agents may edit. */

import { MAIN_AGENT } from '../../protocol/events.js';
import type { PermissionAnswer, PermissionMode, PermissionQuestion } from '../../protocol/permission.js';
import { namedInput } from '../../protocol/tools/built-in-tools.js';
import type { Requester } from '../requester.js';
import { isAllowed, type Questions } from './questions.js';

export type ModeQuery = {
  /** The mode its definition asks for, if any. */
  readonly wish: PermissionMode | undefined;
  readonly parent: PermissionMode;
  /** Whether the session was started with bypassPermissions. */
  readonly startedBypassed: boolean;
  /** Whether a person can answer. */
  readonly interactive: boolean;
  /** Whether the person agreed that agents may edit without asking each time. */
  readonly editsAgreed: boolean;
  /** Whether children take their parent's mode (a setting). */
  readonly inherit: boolean;
};

/** The question before it is known whether agents may edit. */
export type ChildModeQuery = Omit<ModeQuery, 'editsAgreed'>;

export function childMode(question: ModeQuery): PermissionMode {
  const { parent, wish = 'acceptEdits' } = question;
  if (question.inherit) return parent;
  if (parent === 'plan' || parent === 'dontAsk') return parent;
  if (wish === 'plan' || wish === 'dontAsk') return wish;
  if (wish === 'bypassPermissions') return question.startedBypassed ? 'bypassPermissions' : withoutBypass(question);
  if (wish === 'acceptEdits') return withoutBypass(question);
  return wish === 'bubble' ? parent : 'default';
}

/** Edits need no question only where the parent's don't, or where the person agreed to it for agents. */
function withoutBypass({ parent, interactive, editsAgreed }: ModeQuery): PermissionMode {
  if (parent === 'acceptEdits' || parent === 'bypassPermissions') return 'acceptEdits';
  return interactive && editsAgreed ? 'acceptEdits' : 'default';
}

/** Whether the person must be asked before the first child that would edit without asking. */
export function needsAgreement(question: ChildModeQuery): boolean {
  if (!question.interactive || question.inherit) return false;
  return (
    childMode({ ...question, editsAgreed: true }) === 'acceptEdits' &&
    childMode({ ...question, editsAgreed: false }) === 'default'
  );
}

export type EditAgreementOptions = {
  readonly questions: Questions;
  /** The setting; undefined means ask the person. */
  readonly agreed: boolean | undefined;
  /** The session's folder. */
  readonly folder: string;
  /** Where a yes for later sessions is kept, and keeps it there. Resolves with the reason if it can't be. */
  readonly always: { readonly file: string; keep(): Promise<string | undefined> };
  readonly newId: () => string;
};

type OpenQuestion = {
  readonly agreed: Promise<boolean>;
  readonly takeBack: AbortController;
  /** How many children wait for the answer. */
  waiting: number;
};

export class EditAgreement {
  readonly #options: EditAgreementOptions;
  #agreed: boolean | undefined;
  #open: OpenQuestion | undefined;

  constructor(options: EditAgreementOptions) {
    this.#options = options;
    this.#agreed = options.agreed;
  }

  /** Also false if the signal aborts; the question then stays open for the others that wait. Never rejects. */
  async isAgreed(requester: Pick<Requester, 'tell'>, signal: AbortSignal): Promise<boolean> {
    if (this.#agreed !== undefined) return this.#agreed;
    if (signal.aborted) return false;
    this.#open ??= this.#ask(requester);
    return this.#wait(this.#open, signal);
  }

  #ask(requester: Pick<Requester, 'tell'>): OpenQuestion {
    const { questions } = this.#options;
    const takeBack = new AbortController();
    const agreed = questions.ask(this.#question(), requester, takeBack.signal).then(async (settlement) => {
      if (this.#open === open) this.#open = undefined;
      // Withdrawn, or nobody to ask: that is not a "no" for the next child.
      if (settlement.kind === 'answered') {
        this.#agreed = isAllowed(settlement);
        await this.#keep(settlement.answer, requester);
      }
      return isAllowed(settlement);
    });
    const open: OpenQuestion = { agreed, takeBack, waiting: 0 };
    return open;
  }

  /** For later sessions, if that was the answer. In this one it holds, whether it could be kept or not. */
  async #keep(answer: PermissionAnswer, requester: Pick<Requester, 'tell'>): Promise<void> {
    if (answer.behavior !== 'allow' || !answer.always?.some(({ kind }) => kind === 'agents-edit')) return;
    const notSaved = await this.#options.always.keep();
    if (notSaved === undefined) return;
    const line = `agents may change files in this session, but the answer was not saved: ${notSaved}`;
    await requester.tell({ kind: 'line-shown', level: 'warning', line });
  }

  async #wait(open: OpenQuestion, signal: AbortSignal): Promise<boolean> {
    const waited = new AbortController();
    const gone = new Promise<boolean>((resolve) => {
      signal.addEventListener('abort', () => resolve(false), { once: true, signal: waited.signal });
    });
    open.waiting += 1;
    const agreed = await Promise.race([open.agreed, gone]);
    waited.abort();
    open.waiting -= 1;
    if (open.waiting === 0) this.#takeBack(open);
    return agreed;
  }

  /** Nobody waits for it any more. The next child asks again. */
  #takeBack(open: OpenQuestion): void {
    if (this.#open === open) this.#open = undefined;
    open.takeBack.abort();
  }

  #question(): PermissionQuestion {
    const { folder, newId, always } = this.#options;
    return {
      id: newId(),
      about: 'agents-edit',
      agent: { id: MAIN_AGENT, type: MAIN_AGENT, depth: 0 },
      call: { id: 'agents-edit', ...namedInput('Agent', { agentsMayEdit: folder }) },
      cwd: folder,
      reason:
        'May agents change files in this folder without asking for each change? (yes: in this session; no: they ask each time)',
      destroys: [],
      offers: [{ kind: 'agents-edit', file: always.file }],
    };
  }
}

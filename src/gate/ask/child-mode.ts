/** Chooses the permission mode of a named child, and asks the user once whether agents may edit. */

import { MAIN_AGENT } from '../../protocol/events.js';
import type { PermissionAnswer, PermissionMode, PermissionQuestion } from '../../protocol/permission.js';
import { namedInput } from '../../protocol/tools/built-in-tools.js';
import type { Requester } from '../requester.js';
import { isAllowed, type Questions } from './questions.js';

export type ModeQuery = {
  /** The mode its definition asks for, if any. */
  readonly wish: PermissionMode | undefined;
  readonly parent: PermissionMode;
  /** True if the session was started with bypassPermissions. */
  readonly startedBypassed: boolean;
  /** True if a user can answer. */
  readonly interactive: boolean;
  /** True if the user agreed that agents may edit without asking each time. */
  readonly editsAgreed: boolean;
  /** True if children take their parent's mode (a setting). */
  readonly inherit: boolean;
};

/** A query before it is known whether agents may edit. */
export type ChildModeQuery = Omit<ModeQuery, 'editsAgreed'>;

export function childMode(query: ModeQuery): PermissionMode {
  const { parent, wish = 'acceptEdits' } = query;
  if (query.inherit) return parent;
  if (parent === 'plan' || parent === 'dontAsk') return parent;
  if (wish === 'plan' || wish === 'dontAsk') return wish;
  if (wish === 'bypassPermissions') return query.startedBypassed ? 'bypassPermissions' : withoutBypass(query);
  if (wish === 'acceptEdits') return withoutBypass(query);
  return wish === 'bubble' ? parent : 'default';
}

/** Edits need no prompt only if the parent's don't, or if the user agreed to it for agents. */
function withoutBypass({ parent, interactive, editsAgreed }: ModeQuery): PermissionMode {
  if (parent === 'acceptEdits' || parent === 'bypassPermissions') return 'acceptEdits';
  return interactive && editsAgreed ? 'acceptEdits' : 'default';
}

/** True if the user must be asked before the first child that would edit without asking. */
export function needsAgreement(query: ChildModeQuery): boolean {
  if (!query.interactive || query.inherit) return false;
  return (
    childMode({ ...query, editsAgreed: true }) === 'acceptEdits' &&
    childMode({ ...query, editsAgreed: false }) === 'default'
  );
}

export type EditAgreementOptions = {
  readonly questions: Questions;
  /** The setting; undefined means ask the user. */
  readonly agreed: boolean | undefined;
  /** The session's folder. */
  readonly folder: string;
  /** The file in which a yes for later sessions is saved. `keep` resolves with the reason if it can't be saved. */
  readonly always: { readonly file: string; keep(): Promise<string | undefined> };
  readonly newId: () => string;
};

type OpenQuestion = {
  readonly agreed: Promise<boolean>;
  readonly takeBack: AbortController;
  /** The number of children that wait for the answer. */
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
  async isAgreed(requester: Pick<Requester, 'notify'>, signal: AbortSignal): Promise<boolean> {
    if (this.#agreed !== undefined) return this.#agreed;
    if (signal.aborted) return false;
    this.#open ??= this.#ask(requester);
    return this.#wait(this.#open, signal);
  }

  #ask(requester: Pick<Requester, 'notify'>): OpenQuestion {
    const { questions } = this.#options;
    const takeBack = new AbortController();
    const agreed = questions.ask(this.#question(), requester, takeBack.signal).then(async (settlement) => {
      if (this.#open === open) this.#open = undefined;
      // Withdrawn, or nobody to ask: not a "no" for the next child.
      if (settlement.kind === 'answered') {
        this.#agreed = isAllowed(settlement);
        await this.#keep(settlement.answer, requester);
      }
      return isAllowed(settlement);
    });
    const open: OpenQuestion = { agreed, takeBack, waiting: 0 };
    return open;
  }

  /** Saves the answer for later sessions, if requested. It applies to this session even if it could not be saved. */
  async #keep(answer: PermissionAnswer, requester: Pick<Requester, 'notify'>): Promise<void> {
    if (answer.behavior !== 'allow' || !answer.always?.some(({ kind }) => kind === 'agents-edit')) return;
    const notSaved = await this.#options.always.keep();
    if (notSaved === undefined) return;
    const line = `agents may edit files in this session, but the answer was not saved: ${notSaved}`;
    await requester.notify({ kind: 'line-shown', level: 'warning', line });
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

  /** Withdraws the question when no child waits for it any more. The next child asks again. */
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

/**
 * The open questions of all agents. Each is emitted as an event and settled once: by the first answer, when its requester
 * withdraws it, or when no client is left to answer. The other agents continue meanwhile.
 */

import type { LiveEvent } from '../../protocol/events.js';
import { answersAlike, isAlike, type PermissionAnswer, type PermissionQuestion } from '../../protocol/permission.js';
import type { Requester } from '../requester.js';

export type Settlement =
  | { readonly kind: 'answered'; readonly answer: PermissionAnswer }
  /** The signal aborted first. */
  | { readonly kind: 'taken-back' }
  /** No client could answer, or the last client `left` first. */
  | { readonly kind: 'nobody'; readonly left?: true };

type Emitter = Pick<Requester, 'notify'>;

/** `elicitation`: only questions of servers. */
export type Answers = 'all' | 'elicitation';

type Open = { readonly question: PermissionQuestion; readonly settle: (settlement: Settlement) => void };

export class Questions {
  /** By id, oldest first. */
  readonly #open = new Map<string, Open>();
  readonly #answerers = new Set<{ readonly answers: Answers }>();

  /** Emits the question and waits. If the signal has already aborted, it neither asks nor waits. Never rejects. */
  async ask(question: PermissionQuestion, requester: Emitter, signal: AbortSignal): Promise<Settlement> {
    if (!this.#canBeAnswered(question)) return { kind: 'nobody' };
    if (signal.aborted) return { kind: 'taken-back' };
    const { id, call } = question;
    // Register before emitting: a listener may answer at once.
    const settled = this.#register(question, signal);
    await emitSafely(requester, { kind: 'question-asked', call: call.id, tool: call.tool, question });
    const settlement = await settled;
    const behavior = isAllowed(settlement) ? 'allow' : 'deny';
    await emitSafely(requester, { kind: 'question-settled', call: call.id, question: id, behavior });
    return settlement;
  }

  /** The first answer wins. Returns false if nobody waits for it (late, repeated, unknown). */
  answer(questionId: string, answer: PermissionAnswer): boolean {
    const answered = this.#open.get(questionId);
    if (answered === undefined) return false;
    answered.settle({ kind: 'answered', answer });
    if (answersAlike(answer)) {
      for (const { question, settle } of [...this.#open.values()]) {
        if (isAlike(question, answered.question)) settle({ kind: 'answered', answer });
      }
    }
    return true;
  }

  all(): readonly PermissionQuestion[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  addAnswerer(answers: Answers = 'all'): () => void {
    const answerer = { answers };
    this.#answerers.add(answerer);
    return () => {
      if (!this.#answerers.delete(answerer)) return;
      for (const { question, settle } of [...this.#open.values()]) {
        if (!this.#canBeAnswered(question)) settle({ kind: 'nobody', left: true });
      }
    };
  }

  #canBeAnswered({ about }: PermissionQuestion): boolean {
    return [...this.#answerers].some(({ answers }) => answers === 'all' || about === answers);
  }

  #register(question: PermissionQuestion, signal: AbortSignal): Promise<Settlement> {
    return new Promise((resolve) => {
      const takeBack = () => settle({ kind: 'taken-back' });
      const settle = (settlement: Settlement) => {
        this.#open.delete(question.id);
        signal.removeEventListener('abort', takeBack);
        resolve(settlement);
      };
      signal.addEventListener('abort', takeBack, { once: true });
      this.#open.set(question.id, { question, settle });
    });
  }
}

/** Only an explicit allow is a yes. */
export function isAllowed(settlement: Settlement): boolean {
  return settlement.kind === 'answered' && settlement.answer.behavior === 'allow';
}

/** A faulty listener must not keep the requester waiting forever. */
async function emitSafely(requester: Emitter, event: LiveEvent): Promise<void> {
  try {
    await requester.notify(event);
  } catch {}
}

/** Describes the requester for a question. */
export function describeRequester({ id, type, depth, name, task, worktree }: Requester): PermissionQuestion['agent'] {
  return {
    id,
    type,
    depth,
    ...(name === undefined ? {} : { name }),
    ...(task === undefined ? {} : { task }),
    ...(worktree === undefined
      ? {}
      : { worktree: { name: worktree.name, path: worktree.path, branch: worktree.branch } }),
  };
}

/** Opens a session for a client in this process, with `onPermission` attached as a client that answers questions. */

import { openEngine } from '../../engine/open/open-engine.js';
import type { OpenFailure, SessionOptions } from '../../engine/session-options.js';
import type { Listener } from '../../protocol/events.js';
import {
  type AskPermission,
  answersAlike,
  isAlike,
  type PermissionAnswer,
  type PermissionQuestion,
} from '../../protocol/permission.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { createSessionOf, type Session } from './session.js';

export type Opened = { readonly ok: true; readonly session: Session } | OpenFailure;

export async function openSession(options: SessionOptions = {}): Promise<Opened> {
  const opened = await openEngine(options);
  if (!opened.ok) return opened;
  const session = createSessionOf(opened.engine, opened.note);
  attachHandlers(session, options);
  return { ok: true, session };
}

function attachHandlers(session: Session, { onPermission, onElicitation = onPermission }: SessionOptions): void {
  if (onElicitation === undefined) return;
  const handler: AskPermission = (question, signal) =>
    (isElicitation(question) ? onElicitation : (onPermission ?? onElicitation))(question, signal);
  const answer = answerQuestions(handler, async (question, given) => {
    const done = await session.execute({ type: 'answer', question, answer: given });
    return done.ok;
  });
  const takesAll = onPermission !== undefined;
  session.attach({
    onEvent: (event) => {
      // Another client may answer the questions that this one does not.
      if (takesAll || event.event.kind !== 'question-asked' || isElicitation(event.event.question)) answer(event);
    },
    canAnswer: takesAll || 'elicitation',
    kinds: ['question-asked', 'question-settled'],
  });
}

function isElicitation({ about }: PermissionQuestion): boolean {
  return about === 'elicitation';
}

export class CoppiceError extends Error {
  override readonly name = 'CoppiceError';
  readonly kind: OpenFailure['kind'];

  constructor(failure: OpenFailure) {
    super(failure.reason);
    this.kind = failure.kind;
  }
}

/** Opens a session. Rejects with a CoppiceError if it can't be opened; after that, failures are results. */
export async function createSession(options: SessionOptions = {}): Promise<Session> {
  const opened = await openSession(options);
  if (!opened.ok) throw new CoppiceError(opened);
  return opened.session;
}

/** Returns false if the answer came too late. Must not throw. */
export type AnswerQuestion = (questionId: string, answer: PermissionAnswer) => boolean | Promise<boolean>;

type Waiting = {
  readonly question: PermissionQuestion;
  /** Aborts when the question is settled without this handler. */
  readonly settled: AbortController;
};

/** A handler that throws or rejects denies the question and does not stop the others. */
export function answerQuestions(handler: AskPermission, answer: AnswerQuestion): Listener {
  /** Open questions, oldest first. The first one is being asked. */
  const queue: Waiting[] = [];
  let asking = false;

  async function askInOrder(): Promise<void> {
    if (asking) return;
    asking = true;
    for (let head = queue[0]; head !== undefined; head = queue[0]) {
      const { question, settled } = head;
      const alike = queue.filter((one) => one !== head && isAlike(one.question, question)).length;
      const said = await put(handler, { ...question, alike }, settled.signal);
      if (said === undefined) continue;
      remove(question.id);
      // Identical questions are settled with it; the events that report this may arrive later.
      if ((await answer(question.id, said)) && answersAlike(said)) removeAlike(question);
    }
    asking = false;
  }

  function remove(questionId: string): Waiting | undefined {
    const at = queue.findIndex(({ question }) => question.id === questionId);
    return at < 0 ? undefined : queue.splice(at, 1)[0];
  }

  function removeAlike(question: PermissionQuestion): void {
    for (const other of [...queue]) if (isAlike(other.question, question)) remove(other.question.id);
  }

  return ({ event }) => {
    if (event.kind === 'question-settled') remove(event.question)?.settled.abort();
    if (event.kind !== 'question-asked') return;
    queue.push({ question: event.question, settled: new AbortController() });
    // Deferred, so that every listener sees the question before the handler does.
    queueMicrotask(() => void askInOrder());
  };
}

/** The handler's answer, or undefined as soon as the question is settled without it. Never rejects. */
function put(
  handler: AskPermission,
  question: PermissionQuestion,
  settled: AbortSignal,
): Promise<PermissionAnswer | undefined> {
  return new Promise((resolve) => {
    settled.addEventListener('abort', () => resolve(undefined), { once: true });
    // The handler is foreign code: a synchronous throw must not block the other questions.
    new Promise<PermissionAnswer>((answered) => answered(handler(question, settled)))
      .then(checkAnswer)
      .catch(
        (error: unknown): PermissionAnswer => ({
          behavior: 'deny',
          reason: `the question could not be asked: ${reasonOf(error)}`,
        }),
      )
      .then(resolve);
  });
}

/** A JavaScript caller is not bound by the types: refuse anything that is not an answer. */
function checkAnswer(answer: PermissionAnswer): PermissionAnswer {
  if (answer?.behavior === 'allow' || answer?.behavior === 'deny') return answer;
  throw new Error("the handler returned neither behavior: 'allow' nor behavior: 'deny'");
}

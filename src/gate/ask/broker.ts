/**
 * All questions of all agents, one at a time and in order, to the one person. While one waits, the other agents work on.
 * An agent that ends takes its question back; an answer that comes too late is for nobody.
 */

import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../protocol/permission.js';
import { reasonOf } from '../../protocol/reason-of.js';

type Waiting = {
  readonly question: PermissionQuestion;
  readonly signal: AbortSignal;
  readonly settle: (answer: PermissionAnswer) => void;
};

const TAKEN_BACK: PermissionAnswer = { behavior: 'deny', reason: 'the question was taken back' };

export function createBroker(ask: AskPermission): AskPermission {
  const queue: Waiting[] = [];
  let asking = false;

  async function next(): Promise<void> {
    if (asking) return;
    asking = true;
    for (let head = queue[0]; head !== undefined; head = queue[0]) {
      const asked = head.question;
      const alike = () => queue.filter((one) => one !== head && isAlike(one.question, asked));
      const answer = await answerOf(head, { ...asked, alike: alike().length });
      remove(queue, head);
      head.settle(answer);
      // The same question of others, also of those that came meanwhile, is answered with it when the person says so,
      // or answered it for good.
      if (answer.together || (answer.behavior === 'allow' && answer.always !== undefined)) {
        for (const other of alike()) {
          remove(queue, other);
          other.settle(answer);
        }
      }
    }
    asking = false;
  }

  /** The person's answer, or none as soon as the asker has gone. */
  function answerOf({ signal }: Waiting, question: PermissionQuestion): Promise<PermissionAnswer> {
    return new Promise((resolve) => {
      const gone = () => resolve(TAKEN_BACK);
      if (signal.aborted) return gone();
      signal.addEventListener('abort', gone, { once: true });
      // A handler is somebody else's code: one that throws at once must not hold up the others for ever.
      new Promise<PermissionAnswer>((answered) => answered(ask(question, signal)))
        .catch(
          (error: unknown): PermissionAnswer => ({
            behavior: 'deny',
            reason: `the question could not be asked: ${reasonOf(error)}`,
          }),
        )
        .then((answer) => {
          signal.removeEventListener('abort', gone);
          resolve(answer);
        });
    });
  }

  return (question, signal) =>
    new Promise((resolve) => {
      // One that still waits in line is taken back at once; the one being asked is looked after above.
      const gone = () => {
        if (queue[0] === waiting && asking) return;
        remove(queue, waiting);
        resolve(TAKEN_BACK);
      };
      const settle = (answer: PermissionAnswer) => {
        signal.removeEventListener('abort', gone);
        resolve(answer);
      };
      const waiting: Waiting = { question, signal, settle };
      signal.addEventListener('abort', gone, { once: true });
      queue.push(waiting);
      void next();
    });
}

function remove(queue: Waiting[], waiting: Waiting): void {
  const at = queue.indexOf(waiting);
  if (at >= 0) queue.splice(at, 1);
}

/** The same call in the same folder: the answer to one is an answer to all. */
function isAlike(a: PermissionQuestion, b: PermissionQuestion): boolean {
  return (
    a.call.tool === b.call.tool && a.cwd === b.cwd && JSON.stringify(a.call.input) === JSON.stringify(b.call.input)
  );
}

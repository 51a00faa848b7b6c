/** The client of a session's questions by itself; with the questions it answers: test/unit/gate/ask/questions.test.ts. */

import { expect, it } from 'vitest';
import { answerQuestions } from '../../../../src/front/sdk/open-session.js';
import type { AgentEvent } from '../../../../src/protocol/events.js';
import type { PermissionAnswer, PermissionQuestion } from '../../../../src/protocol/permission.js';

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

function asked(id: string): AgentEvent {
  const question: PermissionQuestion = {
    id,
    agent: { id, type: 'general-purpose', depth: 1 },
    call: { id: `c-${id}`, tool: 'Bash', input: { command: 'npm test' } },
    cwd: '/p',
    reason: 'why',
    destroys: [],
    offers: [],
  };
  return { kind: 'question-asked', call: question.call.id, tool: 'Bash', question };
}

function stage(counts: boolean) {
  const put: PermissionQuestion[] = [];
  const given: [string, PermissionAnswer][] = [];
  const listener = answerQuestions(
    async (question) => {
      put.push(question);
      return { behavior: 'allow', together: true };
    },
    (id, answer) => {
      given.push([id, answer]);
      return counts;
    },
  );
  return { put, given, tell: (event: AgentEvent) => listener({ agent: 'main', seq: undefined, event }) };
}

it('GT-11: every listener is notified of a question before the handler, and those asked at once are treated as alike', async () => {
  const { put, tell } = stage(true);
  tell(asked('a'));
  tell(asked('b'));
  expect(put).toEqual([]);
  await tick();
  expect(put.map(({ id, alike }) => [id, alike])).toEqual([['a', 1]]);
});

it('GT-11: an answer for all that came too late leaves the others to be asked', async () => {
  const { put, given, tell } = stage(false);
  tell(asked('a'));
  tell(asked('b'));
  await tick();
  expect(put.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(given.map(([id]) => id)).toEqual(['a', 'b']);
});

it('GT-11: a question that is settled before its turn is not put, and other events are none of its business', async () => {
  const { put, tell } = stage(true);
  tell({ kind: 'turn-started', turn: 1 });
  tell(asked('a'));
  tell({ kind: 'question-settled', call: 'c-a', question: 'a', behavior: 'deny' });
  tell({ kind: 'question-settled', call: 'c-x', question: 'x', behavior: 'deny' });
  await tick();
  expect(put).toEqual([]);
});

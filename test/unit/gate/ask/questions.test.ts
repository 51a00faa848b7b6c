/** Open questions, and the client that puts them to a handler one at a time: together, and each for itself. */

import { describe, expect, it } from 'vitest';
import { answerQuestions } from '../../../../src/front/sdk/open-session.js';
import { Questions, type Settlement } from '../../../../src/gate/ask/questions.js';
import type { Listener, LiveEvent } from '../../../../src/protocol/events.js';
import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../../../src/protocol/permission.js';

type Asked = {
  readonly question: PermissionQuestion;
  readonly signal: AbortSignal;
  answer(answer: PermissionAnswer): void;
};

/** Questions with clients that are attached to them by events and answers alone. */
function open() {
  const questions = new Questions();
  const listeners: Listener[] = [];
  const events: LiveEvent[] = [];
  const requester = (agent: string) => ({
    notify: async (event: LiveEvent) => {
      events.push(event);
      for (const listener of listeners) listener({ agent, seq: undefined, event });
    },
  });
  return {
    questions,
    events,
    ask: (question: PermissionQuestion, signal: AbortSignal): Promise<Settlement> =>
      questions.ask(question, requester(question.agent.id), signal),
    attach: (handler: AskPermission) => {
      listeners.push(answerQuestions(handler, (id, answer) => questions.answer(id, answer)));
      return questions.addAnswerer();
    },
  };
}

/** A client whose handler answers when the test says so. */
function person() {
  const asked: Asked[] = [];
  const handler: AskPermission = (question, signal) =>
    new Promise((resolve) => asked.push({ question, signal, answer: resolve }));
  return { asked, handler };
}

function stage() {
  const opened = open();
  const { asked, handler } = person();
  opened.attach(handler);
  return { ...opened, asked };
}

const never = new AbortController().signal;
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));
const answered = (answer: PermissionAnswer): Settlement => ({ kind: 'answered', answer });
const ids = (asked: readonly Asked[]) => asked.map(({ question: { id } }) => id);

const ALWAYS = [{ kind: 'rule', rule: 'Bash(npm test)', where: 'session' }] as const;

function question(agent: string, command = `touch ${agent}`): PermissionQuestion {
  return {
    id: `q-${agent}`,
    agent: { id: agent, type: 'general-purpose', depth: 1 },
    call: { id: `c-${agent}`, tool: 'Bash', input: { command } },
    cwd: '/p',
    reason: 'why',
    destroys: [],
    offers: [],
  };
}

describe('questions and a client', () => {
  it('GT-11: one question at a time, in order', async () => {
    const { asked, ask } = stage();
    const answers = ['a', 'b', 'c'].map((agent) => ask(question(agent), never));
    await tick();
    expect(ids(asked)).toEqual(['q-a']);
    asked[0]?.answer({ behavior: 'allow' });
    await tick();
    expect(ids(asked)).toEqual(['q-a', 'q-b']);
    asked[1]?.answer({ behavior: 'deny', reason: 'no' });
    await tick();
    asked[2]?.answer({ behavior: 'allow' });
    expect(await Promise.all(answers)).toEqual([
      answered({ behavior: 'allow' }),
      answered({ behavior: 'deny', reason: 'no' }),
      answered({ behavior: 'allow' }),
    ]);
  });

  it('GT-11: the same question of several can be answered together, and says how many wait', async () => {
    const { asked, ask } = stage();
    const alike = ['a', 'b', 'c'].map((agent) => ask(question(agent, 'npm test'), never));
    const other = ask(question('d'), never);
    await tick();
    asked[0]?.answer({ behavior: 'allow' });
    await tick();
    expect(asked[1]?.question.alike).toBe(1);
    asked[1]?.answer({ behavior: 'allow', together: true });
    await Promise.all(alike);
    await tick();
    expect(asked).toHaveLength(3);
    expect(asked[2]?.question.id).toBe('q-d');
    asked[2]?.answer({ behavior: 'deny' });
    expect(await other).toEqual(answered({ behavior: 'deny' }));
  });

  it.each<PermissionAnswer>([
    { behavior: 'deny', together: true },
    { behavior: 'allow', always: ALWAYS },
  ])('GT-11: %o is for those alike that came meanwhile as well, and for no other', async (answer) => {
    const { asked, ask } = stage();
    const first = ask(question('a', 'npm test'), never);
    await tick();
    const meanwhile = ask(question('b', 'npm test'), never);
    const elsewhere = ask({ ...question('c', 'npm test'), cwd: '/q' }, never);
    asked[0]?.answer(answer);
    expect(await Promise.all([first, meanwhile])).toEqual([answered(answer), answered(answer)]);
    await tick();
    expect(ids(asked)).toEqual(['q-a', 'q-c']);
    asked[1]?.answer({ behavior: 'deny' });
    expect(await elsewhere).toEqual(answered({ behavior: 'deny' }));
  });

  it('GT-11: who ends takes its question back, asked or waiting; a late answer is for nobody', async () => {
    const { asked, ask } = stage();
    const [dying, queued] = [new AbortController(), new AbortController()];
    const first = ask(question('a'), dying.signal);
    const second = ask(question('b'), queued.signal);
    const third = ask(question('c'), never);
    await tick();
    queued.abort();
    dying.abort();
    expect(await first).toEqual({ kind: 'taken-back' });
    expect(await second).toEqual({ kind: 'taken-back' });
    await tick();
    expect(ids(asked)).toEqual(['q-a', 'q-c']);
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[0]?.answer({ behavior: 'allow', always: ALWAYS });
    await tick();
    asked[1]?.answer({ behavior: 'deny', reason: 'mine' });
    expect(await third).toEqual(answered({ behavior: 'deny', reason: 'mine' }));
  });

  it('GT-11: one that has ended already is not asked about', async () => {
    const { asked, ask, events } = stage();
    expect(await ask(question('a'), AbortSignal.abort())).toEqual({ kind: 'taken-back' });
    await tick();
    expect([asked, events]).toEqual([[], []]);
  });

  it('GT-11: one that has ended already does not wait behind the question of another', async () => {
    const { asked, ask, questions } = stage();
    void ask(question('a'), never);
    await tick();
    expect(await ask(question('b'), AbortSignal.abort())).toEqual({ kind: 'taken-back' });
    expect(ids(asked)).toEqual(['q-a']);
    expect(questions.all().map(({ id }) => id)).toEqual(['q-a']);
  });

  it('GT-11: a handler that breaks down denies and does not stop the others', async () => {
    let times = 0;
    const { ask, attach } = open();
    // Not async on purpose: it throws at once.
    attach(() => {
      times += 1;
      if (times === 1) throw new Error('broken pipe');
      return times === 2 ? Promise.reject(new Error('hung up')) : Promise.resolve({ behavior: 'allow' });
    });
    expect(await Promise.all(['a', 'b', 'c'].map((agent) => ask(question(agent), never)))).toEqual([
      answered({ behavior: 'deny', reason: 'the question could not be asked: broken pipe' }),
      answered({ behavior: 'deny', reason: 'the question could not be asked: hung up' }),
      answered({ behavior: 'allow' }),
    ]);
  });

  it.each([undefined, null, {}, { behavior: 'yes' }])('GT-11: %o from a handler is no yes', async (nonsense) => {
    const { ask, attach } = open();
    attach(async () => nonsense as never);
    expect(await ask(question('a'), never)).toMatchObject({
      kind: 'answered',
      answer: { behavior: 'deny', reason: expect.stringContaining('could not be asked') },
    });
  });

  it('GT-11: two clients: the first answer applies, and the other handler is notified to stop', async () => {
    const { ask, attach, events } = open();
    const [one, other] = [person(), person()];
    attach(one.handler);
    attach(other.handler);
    const [first, second] = [ask(question('a'), never), ask(question('b'), never)];
    await tick();
    expect([ids(one.asked), ids(other.asked)]).toEqual([['q-a'], ['q-a']]);
    other.asked[0]?.answer({ behavior: 'deny', reason: 'by the other' });
    expect(await first).toEqual(answered({ behavior: 'deny', reason: 'by the other' }));
    expect([one.asked[0]?.signal.aborted, other.asked[0]?.signal.aborted]).toEqual([true, false]);
    one.asked[0]?.answer({ behavior: 'allow' });
    await tick();
    expect([ids(one.asked), ids(other.asked)]).toEqual([
      ['q-a', 'q-b'],
      ['q-a', 'q-b'],
    ]);
    one.asked[1]?.answer({ behavior: 'allow' });
    expect(await second).toEqual(answered({ behavior: 'allow' }));
    expect(events.filter(({ kind }) => kind === 'question-settled')).toEqual([
      { kind: 'question-settled', call: 'c-a', question: 'q-a', behavior: 'deny' },
      { kind: 'question-settled', call: 'c-b', question: 'q-b', behavior: 'allow' },
    ]);
  });
});

describe('open questions', () => {
  it('GT-11: the event carries the whole question, and a listener may answer at once', async () => {
    const questions = new Questions();
    questions.addAnswerer();
    const told: LiveEvent[] = [];
    const notify = async (event: LiveEvent) => {
      told.push(event);
      if (event.kind === 'question-asked') questions.answer(event.question.id, { behavior: 'allow' });
    };
    expect(await questions.ask(question('a'), { notify }, never)).toEqual(answered({ behavior: 'allow' }));
    expect(told).toEqual([
      { kind: 'question-asked', call: 'c-a', tool: 'Bash', question: question('a') },
      { kind: 'question-settled', call: 'c-a', question: 'q-a', behavior: 'allow' },
    ]);
  });

  it('GT-11: a listener that breaks does not reject, and the question stays to be answered', async () => {
    const questions = new Questions();
    questions.addAnswerer();
    const asked = questions.ask(question('a'), { notify: () => Promise.reject(new Error('mine')) }, never);
    await tick();
    expect(questions.answer('q-a', { behavior: 'allow' })).toBe(true);
    expect(await asked).toEqual(answered({ behavior: 'allow' }));
  });

  it('GT-11: oldest first; twice, late or unknown is for nobody', async () => {
    const { questions, ask } = open();
    questions.addAnswerer();
    const all = ['a', 'b', 'c'].map((agent) => ask(question(agent), never));
    expect(questions.all().map(({ id }) => id)).toEqual(['q-a', 'q-b', 'q-c']);
    expect(questions.answer('q-b', { behavior: 'allow' })).toBe(true);
    expect(questions.answer('q-b', { behavior: 'deny' })).toBe(false);
    expect(questions.answer('q-x', { behavior: 'allow' })).toBe(false);
    expect(questions.all().map(({ id }) => id)).toEqual(['q-a', 'q-c']);
    for (const id of ['q-a', 'q-c']) questions.answer(id, { behavior: 'deny' });
    expect((await Promise.all(all))[1]).toEqual(answered({ behavior: 'allow' }));
  });
});

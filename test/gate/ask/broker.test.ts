import { describe, expect, it } from 'vitest';
import { createBroker } from '../../../src/gate/ask/broker.js';
import type { PermissionAnswer, PermissionQuestion } from '../../../src/protocol/permission.js';

type Asked = {
  readonly question: PermissionQuestion;
  readonly signal: AbortSignal;
  answer(answer: PermissionAnswer): void;
};

function stage() {
  const asked: Asked[] = [];
  const ask = createBroker(
    (question, signal) => new Promise((resolve) => asked.push({ question, signal, answer: resolve })),
  );
  return { asked, ask };
}

const never = new AbortController().signal;
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

function question(agent: string, command = `touch ${agent}`): PermissionQuestion {
  return {
    id: `q-${agent}`,
    agent: { id: agent, type: 'general-purpose', depth: 1 },
    call: { id: `c-${agent}`, tool: 'Bash', input: { command } },
    cwd: '/p',
    reason: 'why',
    destroys: [],
  };
}

describe('broker', () => {
  it('GT-11: one question at a time, in order', async () => {
    const { asked, ask } = stage();
    const answers = ['a', 'b', 'c'].map((agent) => ask(question(agent), never));
    await tick();
    expect(asked.map(({ question: { id } }) => id)).toEqual(['q-a']);
    asked[0]?.answer({ behavior: 'allow' });
    await tick();
    expect(asked.map(({ question: { id } }) => id)).toEqual(['q-a', 'q-b']);
    asked[1]?.answer({ behavior: 'deny', reason: 'no' });
    await tick();
    asked[2]?.answer({ behavior: 'allow' });
    expect(await Promise.all(answers)).toEqual([
      { behavior: 'allow' },
      { behavior: 'deny', reason: 'no' },
      { behavior: 'allow' },
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
    expect((await other).behavior).toBe('deny');
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
    expect((await first).behavior).toBe('deny');
    expect((await second).behavior).toBe('deny');
    await tick();
    expect(asked.map(({ question: { id } }) => id)).toEqual(['q-a', 'q-c']);
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[0]?.answer({ behavior: 'allow', always: 'session' });
    await tick();
    asked[1]?.answer({ behavior: 'deny', reason: 'mine' });
    expect(await third).toEqual({ behavior: 'deny', reason: 'mine' });
  });

  it('GT-11: one that has ended already is not asked about', async () => {
    const { asked, ask } = stage();
    expect((await ask(question('a'), AbortSignal.abort())).behavior).toBe('deny');
    expect(asked).toEqual([]);
  });

  it('GT-11: a handler that breaks down denies and does not stop the others', async () => {
    let times = 0;
    // Not async on purpose: it throws at once.
    const ask = createBroker(() => {
      times += 1;
      if (times === 1) throw new Error('broken pipe');
      return Promise.resolve({ behavior: 'allow' });
    });
    const [first, second] = await Promise.all([ask(question('a'), never), ask(question('b'), never)]);
    expect(first).toEqual({ behavior: 'deny', reason: 'the question could not be asked: broken pipe' });
    expect(second).toEqual({ behavior: 'allow' });
  });
});

/** Several clients of one session: they see the same, and any of them may answer. */

import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Session } from '../../../src/front/sdk/session.js';
import { defineTool, type PermissionQuestion, type SessionEvent } from '../../../src/index.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';

const change = defineTool({
  name: 'Change',
  description: 'Changes something.',
  schema: z.object({ n: z.number() }),
  run: async ({ n }) => `changed ${n}`,
});

/** What a client in another program sees and can do: events and commands as JSON. */
class Client {
  readonly seen: SessionEvent[] = [];
  readonly leave: () => void;
  readonly #session: Session;
  readonly #waiting: ((question: PermissionQuestion) => void)[] = [];

  constructor(session: Session, canAnswer = false) {
    this.#session = session;
    this.leave = session.attach({ onEvent: (event) => this.#hear(event), canAnswer });
  }

  #hear(watched: SessionEvent): void {
    this.seen.push(watched);
    const { event } = watched;
    if (event.kind === 'question-asked') for (const resolve of this.#waiting.splice(0)) resolve(event.question);
  }

  /** The question that is open now, or the next one. */
  question(): Promise<PermissionQuestion> {
    const [open] = this.#session.questions();
    return open ? Promise.resolve(open) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  answer(question: string, behavior: 'allow' | 'deny') {
    return this.#session.execute({ type: 'answer', question, answer: { behavior } });
  }

  kinds(): string[] {
    return this.seen.map(({ event }) => event.kind);
  }
}

async function askingStage(): Promise<{ stage: Stage; session: Session }> {
  const stage = await setStage([
    { when: { nth: 1 }, reply: ['I change it', { tool: 'Change', input: { n: 1 } }] },
    { reply: 'done' },
  ]);
  return { stage, session: await stage.open({ tools: [change] }) };
}

it('GT-11: one prompts, another answers: both see the same events in the same order', async () => {
  const { stage, session } = await askingStage();
  const first = new Client(session);
  const second = new Client(session, true);
  const work = session.execute({ type: 'prompt', content: 'go' });
  const question = await second.question();
  expect(question).toMatchObject({ agent: { id: 'main' }, call: { tool: 'Change', input: { n: 1 } } });
  expect(await second.answer(question.id, 'allow')).toEqual({ ok: true });
  expect(await work).toMatchObject({ reason: 'completed', text: 'done' });
  expectAllAccepted(stage.sim);
  expect(first.seen).toEqual(second.seen);
  expect(first.kinds()).toEqual(expect.arrayContaining(['question-asked', 'question-settled', 'run-ended']));
  expect(stage.sim.requests[1]?.raw.toString('utf8')).toContain('changed 1');
});

it('GT-11: what a client causes while it hears an event, the others hear in the same order', async () => {
  const { session } = await askingStage();
  session.attach({
    canAnswer: true,
    onEvent: ({ event }) => {
      if (event.kind !== 'question-asked') return;
      void session.execute({ type: 'answer', question: event.question.id, answer: { behavior: 'allow' } });
      throw new Error('and it breaks as well');
    },
  });
  const before = new Client(session);
  const after = new Client(session);
  expect((await session.send('go')).reason).toBe('completed');
  expect(after.kinds()).toEqual(before.kinds());
  const at = after.kinds().indexOf('question-asked');
  expect(after.kinds().slice(at, at + 3)).toEqual(['question-asked', 'line-shown', 'question-settled']);
});

it('GT-11: one that attaches while a question waits gets it; the first answer applies, a late one is refused', async () => {
  const { session } = await askingStage();
  const first = new Client(session, true);
  const work = session.send('go');
  const { id } = await first.question();
  const third = new Client(session, true);
  expect(third.seen).toMatchObject([{ agent: 'main', event: { kind: 'question-asked', question: { id } } }]);
  const watcher = new Client(session);
  expect(watcher.seen).toEqual([]);
  expect(await third.answer(id, 'allow')).toEqual({ ok: true });
  expect(await first.answer(id, 'deny')).toEqual({ ok: false, reason: `question ${id} is not waiting for an answer` });
  expect(await work).toMatchObject({ reason: 'completed', text: 'done' });
  expect(third.seen.slice(1)).toEqual(watcher.seen);
});

it('GT-11, GT-13: when the last that can answer leaves, the question is denied and the run continues', async () => {
  const { stage, session } = await askingStage();
  const first = new Client(session, true);
  const second = new Client(session, true);
  const watcher = new Client(session);
  const work = session.send('go');
  await second.question();
  first.leave();
  first.leave();
  expect(session.questions()).toHaveLength(1);
  second.leave();
  expect(await work).toMatchObject({ reason: 'completed', text: 'done' });
  expectAllAccepted(stage.sim);
  expect(eventsOf(stage, 'permission-answered')).toMatchObject([{ behavior: 'deny', by: 'nobody to ask' }]);
  expect(watcher.kinds()).toContain('question-settled');
  expect(second.kinds()).not.toContain('question-settled');
  expect(session.questions()).toEqual([]);
});

it('GT-11: an interruption takes an open question back from all of them', async () => {
  const { session } = await askingStage();
  const clients = [new Client(session, true), new Client(session, true)];
  const work = session.send('go');
  const { id } = await (clients[0] as Client).question();
  expect(await session.execute({ type: 'interrupt' })).toEqual({ ok: true });
  expect((await work).reason).toBe('interrupted');
  for (const client of clients) {
    expect(client.kinds()).toContain('question-settled');
    expect(await client.answer(id, 'allow')).toMatchObject({ ok: false });
  }
});

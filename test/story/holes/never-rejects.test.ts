/** What an embedder's own code does wrong is reported and never ends a session: listeners, tools, hooks. */

import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../../src/index.js';
import type { Tool } from '../../../src/tools/tool.js';
import { eventsOf, expectAllAccepted, setStage } from '../../support/story.js';

const boom = (): never => {
  throw new Error('mine');
};

it.each(['text-streamed', 'input-admitted', 'call-finished', 'run-ended'] as const)(
  'SF-6: a listener that throws at %s: send resolves, the others hear everything, and of the fault once',
  async (kind) => {
    const stage = await setStage([
      { when: { nth: 1 }, reply: [{ tool: 'Glob', input: { pattern: '*' } }] },
      { reply: 'hello' },
    ]);
    const session = await stage.open();
    session.watch(({ event }) => {
      if (event.kind === kind) boom();
    });
    const after: string[] = [];
    session.watch(({ event }) => after.push(event.kind));
    expect(await session.send('x')).toMatchObject({ reason: 'completed', text: 'hello' });
    expect(await session.send('y')).toMatchObject({ reason: 'completed' });
    expect(after).toContain(kind);
    expect(after).toEqual(stage.events.map(({ event }) => event.kind));
    const lines = eventsOf(stage, 'line-shown').map(({ line }) => line);
    expect(lines).toEqual([`a listener threw at ${kind}: mine`]);
  },
);

it('SF-6: onEvent may throw from the first event on', async () => {
  const stage = await setStage([{ reply: 'hello' }]);
  const session = await stage.open({ onEvent: boom });
  expect(await session.send('x')).toMatchObject({ reason: 'completed', text: 'hello' });
});

it.each([
  ['throws', boom],
  ['rejects', async () => boom()],
])(
  'SF-6: a client that attaches while a question waits and %s: it is reported, and another answers',
  async (_how, onEvent) => {
    const stage = await setStage([
      { when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'touch a' } }] },
      { reply: 'done' },
    ]);
    const session = await stage.open();
    const asked = new Promise<string>((resolve) => {
      session.attach({
        canAnswer: true,
        onEvent: ({ event }) => {
          if (event.kind === 'question-asked') resolve(event.question.id);
        },
      });
    });
    const work = session.send('x');
    const question = await asked;
    session.attach({ canAnswer: true, kinds: ['question-asked'], onEvent });
    const deaf: string[] = [];
    session.attach({ canAnswer: true, kinds: ['run-ended'], onEvent: ({ event }) => deaf.push(event.kind) });
    expect(await session.execute({ type: 'answer', question, answer: { behavior: 'allow' } })).toEqual({ ok: true });
    expect(await work).toMatchObject({ reason: 'completed', text: 'done' });
    expect(eventsOf(stage, 'line-shown').map(({ line }) => line)).toEqual(['a listener threw at question-asked: mine']);
    expect(deaf).toEqual(['run-ended']);
  },
);

const good = defineTool({ name: 'T', description: 'd', schema: z.object({}), readOnly: true, run: async () => 'ok' });
const BROKEN: [string, Partial<Tool>][] = [
  ['parse', { parse: boom }],
  ['declare', { declare: boom }],
  ['run', { run: boom }],
];

it.each(BROKEN)(
  'LC-23: a tool whose %s throws at once: the model is informed, send resolves',
  async (_which, broken) => {
    const stage = await setStage([{ when: { nth: 1 }, reply: [{ tool: 'T', input: {} }] }, { reply: 'done' }]);
    const session = await stage.open({ tools: [{ ...good, ...broken } as Tool] });
    expect(await session.send('x')).toMatchObject({ reason: 'completed', text: 'done' });
    expectAllAccepted(stage.sim);
    expect(stage.sim.requests[1]?.raw.toString('utf8')).toContain('T broke down: mine');
  },
);

/** Commands in, events out: two clients of one session, a question that is answered once, and a view of it all. */

import assert from 'node:assert/strict';
import { createSession, createView } from 'coppice';
import { startSim } from 'coppice/sim';
import { scratchEnv } from './scratch-env.mjs';

const sim = await startSim({
  scenario: [{ when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'touch note' } }] }, { reply: 'Done.' }],
});
const { env, cwd, remove } = await scratchEnv(sim.url);
const session = await createSession({ cwd, env });

// A view shows what happens; it can't answer.
const view = createView({ main: { model: session.model, folder: session.cwd, mode: session.mode } });
session.watch((event) => view.apply(event, performance.now()));

// Two clients that can answer: the first answer applies.
/** @type {boolean[]} */
const results = [];
/** @type {import('coppice').PermissionAnswer[]} */
const answers = [{ behavior: 'allow' }, { behavior: 'deny' }];
const clients = answers.map((answer) =>
  session.attach({
    canAnswer: true,
    kinds: ['question-asked'],
    onEvent: async ({ event }) => {
      if (event.kind !== 'question-asked') return;
      results.push((await session.execute({ type: 'answer', question: event.question.id, answer })).ok);
    },
  }),
);

const end = await session.execute({ type: 'prompt', content: 'Make a note.', key: 'note' });
assert.equal(end.text, 'Done.');
assert.deepEqual(results, [true, false]);

// The same prompt under the same key is one prompt: no request is sent.
assert.deepEqual(await session.execute({ type: 'prompt', content: 'Make a note.', key: 'note' }), end);
assert.equal(sim.requests.length, 2);

assert.deepEqual(await session.execute({ type: 'set-mode', mode: 'plan' }), { ok: true });
assert.equal(view.mode, 'plan');
assert.equal(view.agents.get('main')?.turns, 2);
assert.deepEqual(view.totals.denials, []);

for (const detach of clients) detach();
assert.deepEqual(await session.execute({ type: 'close' }), { ok: true });
assert.deepEqual(await session.execute({ type: 'compact' }), { ok: false, reason: 'the session is closed' });
await sim.close();
await remove();
console.log('ok');

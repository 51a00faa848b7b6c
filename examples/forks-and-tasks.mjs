/** Forks from code, an agent in the background, their results, and a session that is resumed. */

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createSession } from 'coppice';
import { startSim } from 'coppice/sim';
import { scratchEnv } from './scratch-env.mjs';

// The child's reply waits until the main agent is idle, so the order is always the same.
const idle = new EventEmitter();
const rests = once(idle, 'now');
const sim = await startSim({
  scenario: [
    { when: { said: 'Write the summary.' }, reply: 'Scope: summary\nResult: a short one' },
    { when: { said: 'Look for risks.' }, reply: () => rests.then(() => 'Two risks.') },
    {
      when: { user: 'Plan it.' },
      reply: [
        {
          tool: 'Agent',
          input: { prompt: 'Look for risks.', description: 'Risks', name: 'risks', run_in_background: true },
        },
      ],
    },
    { when: { user: /<result>(?<result>[^<]*)<.result>/ }, reply: 'The other agent says: {{result}}' },
    { when: { user: 'Are you still there?' }, reply: 'With all I know.' },
    { reply: 'The plan stands; risks are being looked into.' },
  ],
});
const { env, cwd, remove } = await scratchEnv(sim.url);
const session = await createSession({ cwd, env });

// The main agent starts a child in the background and continues; the child's notice wakes it again.
const planned = await session.send('Plan it.');
assert.equal(planned.text, 'The plan stands; risks are being looked into.');
idle.emit('now');
const { end, stopped } = await session.settled(60_000);
assert.equal(end?.text, 'The other agent says: Two risks.');
assert.deepEqual(stopped, []);
assert.deepEqual(
  session.tasks().map(({ title, status }) => [title, status]),
  [['risks: Risks', 'completed']],
);

// A fork starts with the whole conversation and pays only for what is new.
const fork = await session.fork('Write the summary.', { name: 'summary' });
assert.equal(fork.status, 'completed');
assert.ok(fork.usage.cacheRead > 10 * fork.usage.input);

const children = session.snapshot().filter(({ parent }) => parent === 'main');
assert.deepEqual(children.map(({ name, type, status }) => `${name} ${type} ${status}`).sort(), [
  'risks general-purpose completed',
  'summary fork completed',
]);
await session.close();

const again = await createSession({ cwd, env, resume: session.id });
assert.equal((await again.send('Are you still there?')).text, 'With all I know.');
await again.close();

await sim.close();
await remove();
console.log('ok');

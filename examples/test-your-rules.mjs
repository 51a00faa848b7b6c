/** Tests of your own rules and hooks: the model is scripted to do what must not happen, and is refused. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSession } from 'coppice';
import { startSim } from 'coppice/sim';
import { scratchEnv } from './scratch-env.mjs';

/** Your settings: normally read from `.claude/settings.json`. */
const settings = JSON.stringify({
  permissions: { allow: ['Bash(touch *)', 'Read'], deny: ['Read(.env)', 'Bash(touch secret*)'] },
});

/**
 * Lets the model make one call in a fresh project and returns what it got back.
 * @param {(cwd: string) => import('coppice/sim').ReplyBlock} callIn
 */
async function attempt(callIn) {
  const sim = await startSim();
  const { env, cwd, remove } = await scratchEnv(sim.url);
  sim.use([{ when: { nth: 1 }, reply: [callIn(cwd)] }, { reply: 'seen' }]);
  await writeFile(join(cwd, '.env'), 'TOKEN=hidden\n');
  const session = await createSession({ cwd, env, settings });
  await session.send('go');
  await session.close();
  const [result] = sim.requests.at(-1)?.results ?? [];
  const made = ['plain', 'secret'].filter((name) => existsSync(join(cwd, name)));
  await sim.close();
  await remove();
  return { refused: result?.error, text: result?.text ?? '', made };
}

const plain = await attempt(() => ({ tool: 'Bash', input: { command: 'touch plain' } }));
assert.deepEqual([plain.refused, plain.made], [false, ['plain']]);

const secret = await attempt(() => ({ tool: 'Bash', input: { command: 'cd . && touch secret' } }));
assert.deepEqual([secret.refused, secret.made], [true, []]);

const read = await attempt((cwd) => ({ tool: 'Read', input: { file_path: join(cwd, '.env') } }));
assert.equal(read.refused, true);
assert.match(read.text, /Read\(\.env\)/);
assert.doesNotMatch(read.text, /hidden/);
console.log('ok');

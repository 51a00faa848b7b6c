/** Another model behind the same loop: one that repeats its input, without a server. */

import assert from 'node:assert/strict';
import { createSession, freezeBlock, parseBlock, text } from 'coppice';
import { scratchEnv } from './scratch-env.mjs';

/**
 * One request in, one stream of events out that ends with `response-finished` or `fault`. It must not retry.
 * @type {import('coppice').ModelClient}
 */
const echo = {
  async *request({ history, prefix }) {
    const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
    const last = history.at(history.length - 1)?.blocks.map(parseBlock) ?? [];
    const words = last.findLast((block) => block.type === 'text')?.text;
    const block = text(`You said: ${words}`);
    yield { type: 'response-began', id: 'echo-1', model: prefix.model, usage };
    yield { type: 'text-streamed', index: 0, text: block.text };
    yield { type: 'block-finished', index: 0, block: { block, frozen: freezeBlock(block) } };
    yield { type: 'response-finished', stop: 'end_turn', usage };
  },
};

const { env, cwd, remove } = await scratchEnv('http://127.0.0.1:9');
const session = await createSession({
  cwd,
  env: { ...env, ANTHROPIC_API_KEY: undefined },
  modelClient: echo,
  model: 'echo',
});
const end = await session.send('is anybody there?');
await session.close();

assert.equal(end.text, 'You said: is anybody there?');
assert.equal(end.usage.input, 10);
await remove();
console.log('ok');

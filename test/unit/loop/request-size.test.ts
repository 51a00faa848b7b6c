/** LC-17: the most tokens a request can have, before the API has counted it. */

import { expect, it } from 'vitest';
import { requestOf } from '../../../src/loop/epoch.js';
import { mostInput } from '../../../src/loop/request-facts.js';
import { mostTokens } from '../../../src/model/models.js';
import { type ContentBlock, text } from '../../../src/protocol/blocks.js';
import { freezeBlock } from '../../../src/protocol/frozen-block.js';
import { History } from '../../../src/protocol/history.js';
import { call, LoopStage, reply, used } from './loop-stage.js';
import { lookTool } from './small-tools.js';

const of = (...blocks: readonly ContentBlock[]) =>
  mostTokens(History.of([{ role: 'user', blocks: blocks.map(freezeBlock) }]));
const picture = (bytes: number) =>
  ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(bytes) } }) as const;

it('LC-17: no token is shorter than a byte, in any language', () => {
  for (const words of ['plain words', '日本語', '🦊🦊', '\n"\u0001'])
    expect(of(text(words))).toBeGreaterThanOrEqual(Buffer.byteLength(words));
});

it('LC-17: a picture is measured by its pixels, regardless of its bytes, in a result too', () => {
  const result = (content: readonly ReturnType<typeof picture>[]) =>
    ({ type: 'tool_result', tool_use_id: 'a', content }) as const;
  expect(of(picture(2_000_000))).toBe(of(picture(10)));
  expect(of(result([picture(2_000_000)]))).toBe(of(picture(10)));
  expect(of(result([picture(10), picture(10)]))).toBe(2 * of(picture(10)));
});

it('LC-17: counted messages use the API’s count, later ones their bytes; never more than the window', async () => {
  const stage = new LoopStage(
    [
      { ...reply(call('a')), usage: used(700, 50) },
      { ...reply('done'), usage: used(900, 40) },
    ],
    {
      tools: [lookTool(async () => 'x'.repeat(300))],
    },
  );
  const size = () => mostInput(stage.agent, requestOf(stage.agent));
  const { prefix } = stage.agent.epoch;
  await stage.admit('go');
  expect(size()).toBe(Math.ceil(prefix.bytes.length / 2));
  await stage.run();
  expect(size()).toBe(940);
  stage.agent.state.history.append({ role: 'user', blocks: [freezeBlock(text('y'.repeat(100)))] });
  expect(size()).toBe(940 + freezeBlock(text('y'.repeat(100))).bytes.length);
  stage.agent.epoch = { ...stage.agent.epoch, model: { ...stage.agent.epoch.model, context: 500 } };
  expect(size()).toBe(500);
});

it('LC-17: a reply without content does not hide later messages', async () => {
  const stage = new LoopStage([{ ...reply(), usage: used(100, 1) }]);
  await stage.say('go');
  const block = freezeBlock(text('z'.repeat(400)));
  stage.agent.state.history.append({ role: 'user', blocks: [block] });
  expect(mostInput(stage.agent, requestOf(stage.agent))).toBe(101 + block.bytes.length);
});

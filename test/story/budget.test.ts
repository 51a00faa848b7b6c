/** LC-17 and SF-8: what a session may cost, and what is known of models. */

import { expect, it } from 'vitest';
import { openSession } from '../../src/front/sdk/open-session.js';
import { eventsOf, expectAllAccepted, readingTool, setStage } from '../support/story.js';

const look = readingTool('Look', async () => 'seen');

it('LC-17: --max-tokens stops before the request that could go over it, with what was done so far kept', async () => {
  const stage = await setStage([{ reply: ['again', { tool: 'Look' }] }]);
  const session = await stage.open({ maxTokens: 60_000, tools: [look] });
  const end = await session.send('go on for ever');
  expect(end).toMatchObject({ reason: 'max_tokens', text: 'again', line: expect.stringContaining('--max-tokens') });
  expect(stage.sim.requests.length).toBeGreaterThan(1);
  const used = stage.sim.requests.reduce(
    (sum, { usage }) =>
      sum +
      (usage?.input_tokens ?? 0) +
      (usage?.output_tokens ?? 0) +
      (usage?.cache_read_input_tokens ?? 0) +
      (usage?.cache_creation_input_tokens ?? 0),
    0,
  );
  expect(used).toBeLessThanOrEqual(60_000);
  expectAllAccepted(stage.sim);
});

it('LC-17: --max-usd stops before more is spent; a budget too small for one request sends none', async () => {
  const stage = await setStage([{ reply: ['again', { tool: 'Look' }] }]);
  const session = await stage.open({ maxUsd: 0.2, tools: [look] });
  const end = await session.send('go on for ever');
  expect(end).toMatchObject({ reason: 'max_usd', line: expect.stringContaining('--max-usd') });
  expect(stage.sim.requests.length).toBeGreaterThan(1);

  const poor = await stage.open({ maxUsd: 0.000_001 });
  const before = stage.sim.requests.length;
  expect((await poor.send('hello')).reason).toBe('max_usd');
  expect(stage.sim.requests).toHaveLength(before);
});

it('LC-17: the worst case of a reply is bounded by the budget, and sent as max_tokens', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const session = await stage.open({ maxUsd: 0.2 });
  await session.send('hello');
  // $0.05 of a reply at $20 for a million tokens.
  expect(stage.sim.requests[0]?.body.max_tokens).toBe(2_500);
});

it('SF-8: --max-usd with a model without a price is refused with the setting to add, which then works', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const options = { cwd: stage.folder, env: stage.env, model: 'my-own-model', maxUsd: 1 };
  const refused = await openSession(options);
  expect(refused).toMatchObject({ ok: false, kind: 'usage' });
  const message = refused.ok ? '' : refused.reason;
  const setting = /\{"models".*\}\}\}\}/.exec(message)?.[0] ?? '';
  await stage.settings(JSON.parse(setting));
  const session = await stage.open(options);
  expect((await session.send('hello')).reason).toBe('completed');
});

it('SF-8: an unknown model works without a price, and nothing is asked of it that it may not know', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  const session = await stage.open({ model: 'somebody-elses-model' });
  expect((await session.send('hello')).reason).toBe('completed');
  expect(stage.sim.requests[0]?.body).toMatchObject({ model: 'somebody-elses-model' });
  expect(stage.sim.requests[0]?.body).not.toHaveProperty('thinking');
});

it('SF-8: aliases stand for models; settings add and move them', async () => {
  const stage = await setStage([{ reply: 'ok' }]);
  await stage.settings({ model: 'Fast', models: { 'my-fast-model': { aliases: ['fast'], maxOutput: 123 } } });
  await (await stage.open()).send('hello');
  await (await stage.open({ model: 'sonnet' })).send('hello');
  await (await stage.open({ model: 'claude-haiku-4-5-20251001' })).send('hello');
  expect(stage.sim.requests.map(({ body }) => [body.model, body.max_tokens])).toEqual([
    ['my-fast-model', 123],
    ['claude-sonnet-5-5', 32_000],
    ['claude-haiku-4-5-20251001', 32_000],
  ]);
  expect(eventsOf(stage, 'epoch-started').map(({ model }) => model)).toEqual([
    'my-fast-model',
    'claude-sonnet-5-5',
    'claude-haiku-4-5-20251001',
  ]);
  expectAllAccepted(stage.sim);
});

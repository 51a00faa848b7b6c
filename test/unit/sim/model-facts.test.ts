/** Model facts, and overrides by a caller. */

import { afterEach, describe, expect, it } from 'vitest';
import { factsFor, type Sim, startSim } from '../../../src/sim/index.js';
import { assistant, marked, post, requestOf, user } from './ask.js';

let sim: Sim | undefined;
afterEach(() => sim?.close());

describe('SF-10: facts about models', () => {
  it.each([
    ['claude-3-5-haiku-20241022', 2_048, 200_000, true],
    ['claude-sonnet-4-5-20250929', 1_024, 200_000, true],
    ['claude-haiku-4-5', 4_096, 200_000, true],
    ['claude-opus-4-1', 1_024, 200_000, true],
    ['claude-opus-4-5', 4_096, 200_000, false],
    ['claude-opus-4-7', 4_096, 1_000_000, false],
    ['claude-opus-4-8', 1_024, 1_000_000, false],
    ['claude-sonnet-4-6', 1_024, 1_000_000, false],
    ['claude-opus-5-5', 1_024, 1_000_000, false],
    ['somebody-else', 1_024, 1_000_000, false],
  ])('SF-10: %s', (model, cacheMinimum, contextTokens, dropsThinking) => {
    expect(factsFor(model)).toMatchObject({ cacheMinimum, contextTokens, dropsThinking });
  });

  it('SF-10: the longest name that fits overrides', () => {
    const overrides = { claude: { cacheMinimum: 1 }, 'claude-opus': { cacheMinimum: 2 } };
    expect(factsFor('claude-opus-5', overrides).cacheMinimum).toBe(2);
    expect(factsFor('claude-sonnet-5', overrides).cacheMinimum).toBe(1);
  });

  it('SF-10: the server counts with them', async () => {
    const models = { small: { cacheMinimum: 10, dropsThinking: true } };
    sim = await startSim({ scenario: [{ reply: [{ thinking: 'x'.repeat(400) }, 'ok'] }], models });
    const ask = requestOf([user(marked('x'.repeat(40)))], { model: 'small' });
    const { content } = (await (await post(sim.url, ask)).json()) as { content: never[] };
    await post(sim.url, requestOf([...ask.messages, assistant(...content), user('and')], { model: 'small' }));
    const [first, second] = sim.requests.map((request) => request.usage);
    expect(first?.cache_creation_input_tokens).toBe(10);
    // Ten read, `ok` and `and` new; the thinking between them is left out.
    expect(second).toMatchObject({ cache_read_input_tokens: 10, input_tokens: 2 });
  });
});

/** A parent and its forks, as the fork contract lays them out: as the simulated cache sees them. */

import { afterEach, describe, expect, it } from 'vitest';
import type { Marked, WireMessage, WireRequest } from '../../../src/model/anthropic/wire.js';
import type { ContentBlock } from '../../../src/protocol/blocks.js';
import { type Sim, startSim } from '../../../src/sim/index.js';
import { assistant, call, marked, post, requestOf, result, tool, user } from './ask.js';

const FORKS = 40;
const PLACEHOLDER = 'Fork started — processing in background';
const marker = { cache_control: { type: 'ephemeral' } } as const;

let sim: Sim;
afterEach(() => sim.close());

/** A parent with some history whose last turn forks forty children at once: eighty blocks. */
const system = [marked('rules '.repeat(4_000))];
const tools = [tool('Agent'), tool('Read')];
const history: WireMessage[] = Array.from({ length: 20 }, (_, index) => [
  user(`question ${index} ${'words '.repeat(1_000)}`),
  assistant(`answer ${index}`),
]).flat();
const calls = Array.from({ length: FORKS }, (_, index) => call(`toolu_${index}`, 'Agent', { fork: true }));

function parentRequest(): WireRequest {
  return requestOf([...history, user(marked('now fork'))], { system, tools });
}

function forkRequest(index: number): WireRequest {
  const placeholders: Marked<ContentBlock>[] = calls.map((_, place) => result(`toolu_${place}`, PLACEHOLDER));
  const last = placeholders.pop();
  if (last) placeholders.push({ ...last, ...marker });
  const messages = [
    ...history,
    user(marked('now fork')),
    assistant('Forking.', ...calls),
    user(...placeholders, marked(`directive ${index}`)),
  ];
  return requestOf(messages, { system, tools });
}

describe('SF-10: forks on the simulated cache', () => {
  it('SF-10: with a leader ahead, every fork reads all its parent cached and only the leader writes the shared part', async () => {
    sim = await startSim({ scenario: [{ reply: 'ok' }] });
    await post(sim.url, parentRequest());
    await post(sim.url, forkRequest(0));
    await Promise.all(Array.from({ length: FORKS - 1 }, (_, index) => post(sim.url, forkRequest(index + 1))));
    expect(sim.requests.map((request) => request.error)).toEqual(Array(FORKS + 1).fill(undefined));
    const usages = sim.requests.map((request) => request.usage);
    const cached = usages[0]?.cache_creation_input_tokens ?? 0;
    expect(cached).toBeGreaterThan(30_000);
    expect(usages[1]?.cache_read_input_tokens).toBe(cached);
    const shared = (usages[1]?.cache_creation_input_tokens ?? 0) - 3;
    for (const usage of usages.slice(2)) {
      expect(usage?.cache_read_input_tokens).toBe(cached + shared);
      expect(usage?.cache_creation_input_tokens).toBe(3);
      expect(usage?.input_tokens).toBe(0);
    }
  });

  it('SF-10: without a leader they all pay for the shared part', async () => {
    const allThere = async () => sim.received(4).then(() => 'ok');
    sim = await startSim({ scenario: [{ when: { user: 'directive' }, reply: allThere }, { reply: 'ok' }] });
    await post(sim.url, parentRequest());
    await Promise.all([0, 1, 2].map((index) => post(sim.url, forkRequest(index))));
    const written = sim.requests.slice(1).map((request) => request.usage?.cache_creation_input_tokens);
    expect(new Set(written).size).toBe(1);
    expect(written[0]).toBeGreaterThan(400);
  });

  it('SF-10: without a marker where the parent ended, eighty blocks are beyond the look-back', async () => {
    sim = await startSim({ scenario: [{ reply: 'ok' }] });
    await post(sim.url, parentRequest());
    const text = JSON.stringify(forkRequest(0)).replace(
      '"now fork","cache_control":{"type":"ephemeral"}',
      '"now fork"',
    );
    await post(sim.url, text);
    const [parent, fork] = sim.requests.map((request) => request.usage);
    expect(fork?.cache_read_input_tokens).toBeLessThan((parent?.cache_creation_input_tokens ?? 0) / 2);
    expect(fork?.cache_read_input_tokens).toBeGreaterThan(5_000);
  });
});

/** The contract of providers, for the Messages API over real HTTP and for the smallest provider there can be. */

import { realClock } from '../../../src/host/clock.js';
import { openDirectFetch } from '../../../src/host/direct-fetch.js';
import { createAnthropicClient } from '../../../src/model/anthropic/anthropic-client.js';
import { anthropicProvider } from '../../../src/model/anthropic/provider.js';
import { text } from '../../../src/protocol/blocks.js';
import { type Rule, startSim } from '../../../src/sim/index.js';
import { type Situation, testModelProvider } from './conformance.js';
import { echoProvider, type Step } from './echo-provider.js';

const HELLO = 'Hello there.';
const INPUT = { z: 1, a: [2] };

const RULES: Readonly<Record<Situation, readonly Rule[]>> = {
  text: [{ reply: HELLO }],
  thinking: [{ reply: [{ thinking: 'Hm.' }, HELLO] }],
  call: [{ when: { result: { tool: 'Look' } }, reply: HELLO }, { reply: [{ tool: 'Look', input: INPUT }] }],
  'broken-call': [{ reply: [{ tool: 'Look', json: '{"z":' }] }],
  unauthorized: [{ fault: 'unauthorized' }],
  'rate-limited': [{ fault: { kind: 'rate_limit', retryAfter: 2 } }],
  overloaded: [{ fault: 'overloaded' }],
  cut: [{ reply: HELLO, fault: { kind: 'disconnect', at: 2 } }],
  silent: [{ reply: HELLO, fault: { kind: 'silence', at: 2 } }],
};

testModelProvider('Messages API', async (situation) => {
  const sim = await startSim({ scenario: RULES[situation] });
  const client = createAnthropicClient({
    baseUrl: sim.url,
    credentials: { kind: 'key', key: 'a-key' },
    userAgent: 'conformance',
    clock: realClock,
    silenceMs: 60_000,
    fetch: await openDirectFetch(false),
  });
  return { provider: anthropicProvider(client), close: () => sim.close() };
});

const LOOK: Step = { type: 'tool_use', id: 'call-1', name: 'Look', input: INPUT };

const STEPS: Readonly<Record<Situation, readonly Step[]>> = {
  text: [text(HELLO)],
  thinking: [{ type: 'thinking', thinking: 'Hm.', signature: '' }, text(HELLO)],
  call: [LOOK],
  'broken-call': [{ type: 'broken-call', json: '{"z":' }],
  unauthorized: [{ kind: 'unauthorized', message: 'no such key' }],
  'rate-limited': [{ kind: 'rate-limited', message: 'slow down', retryAfterMs: 2_000 }],
  overloaded: [{ kind: 'overloaded', message: 'busy' }],
  cut: [text(HELLO), { kind: 'stream-cut', message: 'broke off' }],
  silent: [text(HELLO), 'silence'],
};

testModelProvider('echo', async (situation) => {
  const provider = echoProvider(({ history }) => {
    const isAnswered = situation === 'call' && history.length > 1;
    return isAnswered ? STEPS.text : STEPS[situation];
  });
  return { provider, close: async () => {} };
});

import { describe, expect, it } from 'vitest';
import { checkRequest } from '../../../src/sim/checks/check-request.js';
import { startSim } from '../../../src/sim/index.js';

const BUDGETS = 'task-budgets-2026-03-13';
const request = (more: object) => ({
  model: 'claude-sonnet-4-6',
  max_tokens: 8_000,
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
});
const budget = (task_budget: unknown) => request({ output_config: { task_budget } });

describe('accepted values of effort, budget, thinking and beta features', () => {
  it.each([
    request({ output_config: { effort: 'xhigh' } }),
    request({ output_config: { format: { type: 'json_schema', schema: {} } } }),
    budget({ type: 'tokens', total: 50_000 }),
    budget({ type: 'tokens', total: 50_000, remaining: 10 }),
    request({ thinking: { type: 'adaptive', display: 'omitted' } }),
    request({ thinking: { type: 'enabled', budget_tokens: 2_000, display: 'summarized' } }),
  ])('CL-2: %j', (body) => {
    expect(checkRequest(body, { betas: [BUDGETS, 'claude-code-20250219'] })).toBeUndefined();
  });

  it.each([
    [request({ output_config: 'high' }), /^output_config: /],
    [request({ output_config: { effort: 'huge' } }), /^output_config\.effort: /],
    [request({ output_config: { speed: 1 } }), /^output_config\.speed: Extra inputs/],
    [budget(5), /^output_config\.task_budget: /],
    [budget({ type: 'dollars', total: 5 }), /task_budget\.type: /],
    [budget({ type: 'tokens' }), /task_budget\.total: Field required/],
    [budget({ type: 'tokens', total: 0 }), /task_budget\.total: /],
    [budget({ type: 'tokens', total: 5, spent: 1 }), /task_budget\.spent: Extra inputs/],
    [request({ thinking: { type: 'adaptive', display: 'loud' } }), /^thinking\.adaptive\.display: /],
    [request({ thinking: { type: 'enabled', budget_tokens: 2_000, display: 1 } }), /^thinking\.enabled\.display: /],
  ])('CL-2: refuses %j', (body, message) => {
    expect(checkRequest(body, { betas: [BUDGETS] })).toMatchObject({
      status: 400,
      message: expect.stringMatching(message),
    });
  });

  it('CL-2: a budget without its beta feature, and names of none, over HTTP', async () => {
    const sim = await startSim({ scenario: [{ reply: 'ok' }] });
    try {
      const post = async (beta: string) => {
        const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'anthropic-beta': beta };
        const body = JSON.stringify(budget({ type: 'tokens', total: 50_000 }));
        const response = await fetch(`${sim.url}/v1/messages`, { method: 'POST', headers, body });
        return `${response.status} ${await response.text()}`;
      };
      expect(await post(`context-1m-2025-08-07, ${BUDGETS}`)).toMatch(/^200 /);
      expect(await post('context-1m-2025-08-07')).toMatch(/^400 .*task_budget: Extra inputs/);
      expect(await post(`${BUDGETS},nonsense`)).toMatch(/^400 .*Unexpected value\(s\) `nonsense`/);
    } finally {
      await sim.close();
    }
  });
});

/** EX-24, LC-17: a search that comes to nothing has been paid for as well. */

import { expect, it } from 'vitest';
import type { Rule } from '../../../src/sim/index.js';
import { gate, onceOpen } from '../../support/gate.js';
import { fastHost } from '../../support/hosts/fast-host.js';
import { eventsOf, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

const isSearch = { tool: 'web_search' } as const;

function rules(...searches: readonly Rule[]): Rule[] {
  return [
    ...searches.map((search) => ({ when: isSearch, ...search })),
    { when: { nth: 1 }, reply: [{ tool: 'WebSearch', input: { query: 'example' } }] },
    { reply: 'done' },
  ];
}

const PAUSED: Rule = {
  times: 1,
  reply: [{ search: 'first' }],
  stop: 'pause_turn',
  usage: { input: 10_000, output: 100, webSearches: 2 },
};

async function search(searches: readonly Rule[], meanwhile?: (requests: () => number) => Promise<unknown>) {
  const stage = await setStage(rules(...searches));
  const host = fastHost(stage.folder, stage.env, 200);
  const session = await stage.open({ allowedTools: ['WebSearch'], host });
  const sent = session.send('go');
  if (meanwhile !== undefined) {
    await meanwhile(() => stage.sim.requests.length);
    session.interrupt();
  }
  await sent;
  const [finished] = eventsOf(stage, 'call-finished');
  const [end] = eventsOf(stage, 'run-ended');
  const made = stage.sim.requests.filter(({ body }) => body.tools?.[0]?.name === 'web_search');
  return { finished, end, searches: made.length };
}

it('EX-24, LC-17: an error inside a 200: the call fails, and its tokens and searches are in the record and the sum', async () => {
  const usage = { input: 10_000, output: 100, webSearches: 1 };
  const { finished, end } = await search([{ reply: [{ search: 'a b', error: 'unavailable' }], usage }]);
  expect(finished).toMatchObject({ isError: true, paid: { model: 'claude-opus-5-5', usage } });
  expect(end?.usage.webSearches).toBe(1);
});

it('EX-24, LC-17: a reply that breaks off each time: every attempt is in the record and the sum', async () => {
  const { finished, end, searches } = await search([
    { reply: [{ search: 'a b' }, 'so far'], fault: { kind: 'disconnect', at: 6 }, usage: { input: 10_000 } },
  ]);
  expect(searches).toBeGreaterThan(1);
  expect(finished).toMatchObject({ isError: true, paid: { usage: { input: searches * 10_000 } } });
  expect(end?.usage.input).toBeGreaterThanOrEqual(searches * 10_000);
});

it('EX-24, LC-17: an interrupted one: what was used before is in the record and the sum', async () => {
  const held = gate();
  const { finished, end } = await search([PAUSED, { reply: onceOpen(held, 'too late') }], (requests) =>
    until(() => requests() === 3, 'the search is continued'),
  );
  held.open();
  expect(finished).toMatchObject({ isError: true, paid: { usage: { input: 10_000, output: 100, webSearches: 2 } } });
  expect(end?.usage.webSearches).toBe(2);
});

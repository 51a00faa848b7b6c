/** A project with many agents: what the first request has of them. */

import { expect, it } from 'vitest';
import { expectAllAccepted, type Stage, setStage } from '../../support/story.js';

const WORDS = 'Reads the change, names real bugs only, and says how sure it is about each. ';

async function withAgents(count: number): Promise<Stage> {
  const stage = await setStage([{ reply: 'Hello.' }]);
  for (let n = 0; n < count; n += 1) {
    const text = `---\nname: agent-${n}\ndescription: ${WORDS.repeat(1 + (n % 8)).trim()}\ntools: Read, Grep\n---\nx\n`;
    await stage.write(`.claude/agents/agent-${n}.md`, text);
  }
  return stage;
}

function descriptions(stage: Stage): readonly string[] {
  return stage.sim.requests.map(
    ({ body }) => (body.tools ?? []).find(({ name }) => name === 'Agent')?.description ?? '(not declared)',
  );
}

const linesOf = (text: string | undefined) => (text ?? '').split('\n').filter((line) => line.startsWith('- agent-'));

it('EX-10: the list of agents takes two hundredths of the context of the session’s model; names are never lost', async () => {
  const stage = await withAgents(379);
  const window = { 'small-model': { context: 100_000 } };
  await stage.settings({ models: window });
  const session = await stage.open({ trust: true, model: 'small-model' });
  await session.send('Hi.');
  await session.send('Again.');
  expectAllAccepted(stage.sim);
  const [first, second] = descriptions(stage);
  const lines = linesOf(first);
  expect(lines).toHaveLength(379);
  expect(lines.join('\n').length).toBeLessThan(8_000);
  expect(lines.join('\n').length).toBeGreaterThan(6_500);
  expect(lines.filter((line) => line.includes(':')).length).toBeGreaterThan(10);
  expect(first).toMatch(/\n\d+ of these have no description here/);
  expect(second).toBe(first);
});

it('EX-10: agentListingBudgetFraction shows how much', async () => {
  const stage = await withAgents(20);
  await stage.settings({ agentListingBudgetFraction: 0 });
  const none = await stage.open({ trust: true });
  expect(none.warnings.join('\n')).toContain('20 agents are listed for the model by name only');
  await none.send('Hi.');
  await stage.settings({ agentListingBudgetFraction: 0.5 });
  const all = await stage.open({ trust: true });
  expect(all.warnings).toEqual([]);
  await all.send('Hi.');
  const [first, second] = descriptions(stage);
  expect(linesOf(first).filter((line) => line.includes(':'))).toEqual([]);
  expect(linesOf(first)).toHaveLength(20);
  expect(linesOf(second).filter((line) => line.includes(':'))).toHaveLength(20);
  expect(second).not.toContain('have no description here');
});

it('EX-10 EX-7: a coordinator can search for what was cut, too', async () => {
  const stage = await withAgents(20);
  await stage.settings({ agentListingBudgetFraction: 0 });
  const session = await stage.open({ trust: true, coordinator: true });
  await session.send('Hi.');
  const names = (stage.sim.requests[0]?.body.tools ?? []).map(({ name }) => name);
  expect(names).toEqual(['Agent', 'ListAgents', 'SearchListing', 'SendMessage', 'TaskOutput', 'TaskStop']);
});

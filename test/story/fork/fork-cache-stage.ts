/** Forks of a conversation with a large result, and what each of them paid. */

import { expect } from 'vitest';
import type { ReplyBlock, Rule, SimRequest } from '../../../src/sim/index.js';
import { readingTool, type Stage, setStage } from '../../support/story.js';
import { forkRequests } from './fork-check.js';

export const FORKED = { said: 'You are a forked worker' };
const fork = (n: number): ReplyBlock => ({
  tool: 'Agent',
  input: { fork: true, prompt: `DIRECTIVE ${n} look at part ${n} and say what is in it`, description: `part ${n}` },
});
export const forks = (count: number) => Array.from({ length: count }, (_, n) => fork(n));
export const look = { tool: 'Look', input: {} };
export const lookTool = readingTool('Look', async () => 'word '.repeat(2_000));

export function rules(count: number, first: Partial<Rule> = {}): Rule[] {
  return [
    ...(Object.keys(first).length > 0 ? [{ name: 'leader', when: FORKED, times: 1, ...first }] : []),
    { name: 'fork', when: FORKED, reply: 'Scope: done' },
    { name: 'read', when: { nth: 1 }, reply: [{ thinking: 'hm' }, look] },
    { name: 'fork out', when: { nth: 2 }, reply: [{ thinking: 'so' }, ...forks(count)] },
    { reply: 'end' },
  ];
}

/** They see all of each other: there is something to share. */
export const ALL = { siblings: 'all' } as const;

export async function run(count: number): Promise<Stage> {
  const stage = await setStage(rules(count), { ttftMs: 60 });
  // Longer than any test may take: only the leader's response lets the others go.
  await stage.settings({ maxConcurrentAgents: 64, fork: { ...ALL, warmupMs: 60_000 } });
  const end = await (await stage.open({ fork: 'on', tools: [lookTool] })).send('go');
  expect(end, stage.sim.report()).toMatchObject({ reason: 'completed', text: 'end' });
  return stage;
}

/** The first accepted request of each fork. */
export function firsts({ sim }: Stage): SimRequest[] {
  return [...forkRequests(sim).values()].flatMap((own) => own.find(({ status }) => status === 200) ?? []);
}

/** Who wrote more than its own directive: the segment that siblings share. */
export function payers(stage: Stage): number {
  const written = firsts(stage).map(({ usage }) => usage?.cache_creation_input_tokens ?? 0);
  return written.filter((tokens) => tokens > Math.min(...written) + 200).length;
}

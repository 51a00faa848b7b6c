/** What forks of one reply see of each other: all, or each its own call alone. */

import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CacheAuditor } from '../../../src/front/view/cache-audit.js';
import type { Reply, Rule, SimRequest } from '../../../src/sim/index.js';
import { type Gate, gate } from '../../support/gate.js';
import { agentTranscripts } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { comparable, countMarkers } from '../../support/wire-body.js';
import { childFile, die, expectNoneRefused } from '../durability/crash-stage.js';
import { FORKED, firsts, forks, look, lookTool } from './fork-cache-stage.js';
import { cachedBy, expectIdentity, expectSuffix, forkRequests, parentRequests, readBy } from './fork-check.js';

function rules(calls: Reply, fork: Rule['reply'] = 'Scope: done'): Rule[] {
  return [
    { name: 'fork', when: FORKED, reply: fork },
    { name: 'read', when: { nth: 1 }, reply: [{ thinking: 'hm' }, look] },
    { name: 'fork out', when: { nth: 2 }, reply: calls },
    { name: 'end', reply: 'end' },
  ];
}

/** Longer than any test may take: a fork that waits for another would wait for good. */
const OWN = { siblings: 'own', warmupMs: 600_000 } as const;

async function run(stage: Stage, fork: object): Promise<void> {
  await stage.settings({ maxConcurrentAgents: 64, fork });
  const end = await (await stage.open({ fork: 'on', tools: [lookTool] })).send('go');
  expect(end, stage.sim.report()).toMatchObject({ reason: 'completed', text: 'end' });
  expectAllAccepted(stage.sim);
}

const chosen = (stage: Stage) => [...new Set(eventsOf(stage, 'agent-spawned').map((event) => event.fork?.siblings))];

describe('siblings that see their own call alone', () => {
  it.each([1, 8, 40])('FK-26, FK-10: %i forks repeat all of their parent, with 3 markers', async (count) => {
    const stage = await setStage(rules([{ thinking: 'so' }, 'I hand out:', ...forks(count)]));
    await run(stage, OWN);
    const parent = parentRequests(stage.sim)[1] as SimRequest;
    expectIdentity(stage.sim, parent, count, 1, 'own');
    for (const request of firsts(stage)) {
      expectSuffix(parent, request, 'own');
      expect(countMarkers(request)).toBe(3);
      expect(readBy(request)).toBeGreaterThanOrEqual(cachedBy(parent) * 0.99);
    }
    for (const { shared } of eventsOf(stage, 'assistant-replied')) expect(shared?.bytes).toBe(shared?.of);
    expect(chosen(stage)).toEqual(['own']);
  });

  it('FK-26, FK-11: there is nothing to warm: all are on their way before one is answered', async () => {
    let come = 0;
    const all: Gate = gate();
    const answer = async () => {
      come += 1;
      if (come === 8) all.open();
      await all.opened;
      return 'Scope: done';
    };
    const stage = await setStage(rules(['word '.repeat(3_000), ...forks(8)], answer));
    await run(stage, OWN);
    expect(firsts(stage)).toHaveLength(8);
  });

  it.each(['own', 'auto'] as const)(
    'FK-26, FK-14: thinking after the first call: all, whatever %s says',
    async (siblings) => {
      const stage = await setStage(rules([{ thinking: 'so' }, ...forks(2), { thinking: 'and' }, ...forks(4).slice(2)]));
      await run(stage, { siblings });
      expect(chosen(stage)).toEqual(['all']);
      expectIdentity(stage.sim, parentRequests(stage.sim)[1] as SimRequest, 4);
    },
  );

  it('FK-26, DU-18, DU-19: a resumed one repeats the bytes of its last live request', async () => {
    const hold = { open: false, asked: 0 };
    const fork: Rule['reply'] = async ({ said, results }) => {
      if (results.every(({ tool }) => tool !== 'Look')) return [{ thinking: 'I look first.' }, look];
      if (said.some((text) => /<fork-boilerplate>[\s\S]*DIRECTIVE 0/.test(text))) return 'Scope: first';
      hold.asked += 1;
      const asked = hold.asked;
      await until(() => hold.open || hold.asked !== asked);
      return 'Scope: second';
    };
    const stage = await setStage(rules([{ thinking: 'so' }, 'I hand out:', ...forks(2)], fork));
    Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
    await stage.settings({ fork: OWN });
    const first = await stage.open({ fork: 'on', tools: [lookTool] });
    void first.send('go');
    await until(() => hold.asked === 1 && eventsOf(stage, 'result-made').length === 1);
    const live = forkRequests(stage.sim).get('DIRECTIVE 1')?.at(-1) as SimRequest;
    await die(stage, first, () => {
      hold.open = true;
    });
    const before = stage.sim.requests.length;
    const again = await stage.open({ fork: 'on', tools: [lookTool], resume: first.id });
    expect(await again.send('and?')).toMatchObject({ reason: 'completed', text: 'end' });
    expectNoneRefused(stage.sim);
    const resumed = stage.sim.requests[before] as SimRequest;
    expect(comparable(resumed) === comparable(live), stage.sim.report()).toBe(true);
    expect(comparable(resumed).match(/DIRECTIVE \d/g)).toEqual(['DIRECTIVE 1', 'DIRECTIVE 1']);
    // The request that died was never answered: what the one before it wrote is read.
    const answered = forkRequests(stage.sim).get('DIRECTIVE 1')?.[0] as SimRequest;
    expect(readBy(resumed)).toBeGreaterThanOrEqual(cachedBy(answered) * 0.99);
  });

  it('FK-26: a record whose call is not there is reported, and nothing is sent for it', async () => {
    const hold = gate();
    const stage = await setStage(
      rules(forks(1), async () => {
        await hold.opened;
        return 'Scope: done';
      }),
    );
    Object.assign(stage.env, { COPPICE_RESUME_AGENTS: 'auto' });
    await stage.settings({ fork: OWN });
    const first = await stage.open({ fork: 'on', tools: [lookTool] });
    void first.send('go');
    await stage.sim.received(3);
    await die(stage, first, hold.open);
    const path = await childFile(first);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(/("siblings":"own","call":")[^"]+/, '$1toolu_other'));
    const before = stage.sim.requests.length;
    const again = await stage.open({ fork: 'on', tools: [lookTool], resume: first.id });
    await again.send('and?');
    expect(stage.sim.requests.slice(before).some(({ raw }) => raw.includes('You are a forked worker'))).toBe(false);
    const lines = eventsOf(stage, 'line-shown').map(({ line }) => line);
    expect(lines.join('\n')).toContain('does not hold the call that began this fork');
  });
});

describe('auto', () => {
  const short = [{ thinking: 'so' }, ...forks(8)];
  const long = [{ thinking: 'so' }, 'word '.repeat(6_000), ...forks(8)];
  it.each([
    ['own', short],
    ['all', long],
  ] as const)(
    'FK-26: takes %s from the sizes at hand, which is the cheaper, and it is on record',
    async (sees, reply) => {
      const costs = new Map<string, number>();
      for (const siblings of ['auto', 'all', 'own'] as const) {
        const stage = await setStage(rules(reply), { ttftMs: 20 });
        await run(stage, { siblings, warmupMs: 60_000 });
        expect(chosen(stage)).toEqual([siblings === 'auto' ? sees : siblings]);
        const cost = firsts(stage).map(
          ({ usage }) =>
            readPrice * (usage?.cache_read_input_tokens ?? 0) + writePrice * (usage?.cache_creation_input_tokens ?? 0),
        );
        costs.set(
          siblings,
          cost.reduce((sum, one) => sum + one, 0),
        );
      }
      expect(costs.get('auto')).toBe(Math.min(...costs.values()));
    },
  );
  const [readPrice, writePrice] = [0.2, 5];

  it('FK-26: the choice is in the transcript and in the audit of the cache', async () => {
    const stage = await setStage(rules(short));
    await stage.settings({});
    const session = await stage.open({ fork: 'on', tools: [lookTool] });
    await session.send('go');
    const auditor = new CacheAuditor();
    for (const { agent, event } of stage.events) auditor.add(agent, event as never);
    const { rows } = auditor.finish();
    expect(rows.filter((row) => row.forkStart).map((row) => row.siblings)).toEqual(Array(8).fill('own'));
    expect(rows.filter((row) => !row.forkStart).every((row) => row.siblings === undefined)).toBe(true);
    const [path = ''] = await agentTranscripts(session);
    const record = JSON.parse((await readFile(path, 'utf8')).split('\n')[0] ?? '');
    expect(record.fork).toMatchObject({ siblings: 'own', call: record.call });
  });

  it('FK-26: a fork by hand has no siblings to see', async () => {
    const stage = await setStage(rules('end'));
    const session = await stage.open({ tools: [lookTool] });
    await session.send('go');
    await session.fork('DIRECTIVE 1 go');
    expect(chosen(stage)).toEqual([undefined]);
    expect(forkRequests(stage.sim).size).toBe(1);
  });
});

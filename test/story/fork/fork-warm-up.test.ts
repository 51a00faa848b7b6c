import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/host/clock.js';
import type { Rule } from '../../../src/sim/index.js';
import { fastHost } from '../../support/hosts/fast-host.js';
import { expectAllAccepted, readingTool, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { ALL, FORKED, firsts, forks, look, lookTool, payers, rules, run } from './fork-cache-stage.js';
import { forkRequests } from './fork-check.js';

describe('the first of many', () => {
  it.each([8, 40])('FK-11: of %i siblings at most one pays for what they share', async (count) => {
    const stage = await run(count);
    expectAllAccepted(stage.sim);
    expect(firsts(stage)).toHaveLength(count);
    expect(payers(stage)).toBeLessThanOrEqual(1);
  });

  it('FK-11: without the warm-up they would all pay', async () => {
    let come = 0;
    let open = () => {};
    const all = new Promise<void>((resolve) => {
      open = resolve;
    });
    const reply = async () => {
      come += 1;
      if (come === 8) open();
      await all;
      return 'Scope: done';
    };
    const stage = await setStage([{ when: FORKED, reply }, ...rules(8)]);
    await stage.settings({ fork: { ...ALL, warmupMs: 1 } });
    await (await stage.open({ fork: 'on', tools: [lookTool] })).send('go');
    const written = firsts(stage).map(({ usage }) => usage?.cache_creation_input_tokens ?? 0);
    expect(Math.min(...written)).toBeGreaterThan(500);
  });

  const leaders: readonly (readonly [string, Partial<Rule>])[] = [
    ['fails', { fault: { kind: 'server_error', status: 500, retryAfter: 3 } }],
    ['is refused', { reply: { blocks: [], stop: 'refusal' } }],
    ['is not allowed', { fault: 'unauthorized' }],
    ['is cut off', { fault: { kind: 'disconnect', at: 'headers' } }],
    ['hangs', { reply: 'late', delay: { firstMs: 5_000 } }],
    ['falls silent after its headers', { fault: { kind: 'silence', at: 0 }, reply: 'never' }],
  ];
  it.each(leaders)('FK-11: a leader that %s: the others continue within the warm-up time', async (_name, leader) => {
    const stage = await setStage(rules(8, leader), { ttftMs: 20 });
    await stage.settings({ fork: { ...ALL, warmupMs: 400 } });
    const session = await stage.open({ fork: 'on', tools: [lookTool] });
    const work = session.send('go');
    const done = new Promise<void>((resolve) => {
      let ended = 0;
      session.watch(({ agent, event }) => {
        if (agent === 'main' || event.kind !== 'result-made' || event.status !== 'completed') return;
        ended += 1;
        if (ended === 7) resolve();
      });
    });
    await done;
    session.interrupt();
    await work;
  });

  it('FK-11: a leader that is stopped lets the others go', async () => {
    const stage = await setStage(rules(4, { reply: 'late', delay: { firstMs: 60_000 } }));
    await stage.settings({ fork: { ...ALL, warmupMs: 60_000 } });
    const session = await stage.open({ fork: 'on', tools: [readingTool('Look', async () => 'word '.repeat(2_000))] });
    stage.sim.use([
      { name: 'leader', when: FORKED, times: 1, reply: 'late', delay: { firstMs: 60_000 } },
      { when: FORKED, reply: 'Scope: done' },
      { when: { nth: 1 }, reply: [look] },
      { when: { nth: 2 }, reply: ['word '.repeat(800), ...forks(4)] },
      { reply: 'end' },
    ]);
    const work = session.send('go');
    await stage.sim.received(3);
    const leader = session.snapshot().find(({ type, turns }) => type === 'fork' && turns === 1);
    await session
      .tasks()
      .find(({ id }) => id === leader?.id)
      ?.stop('person');
    expect((await work).text).toBe('end');
    expect(forkRequests(stage.sim).size).toBe(4);
    expect(firsts(stage)).toHaveLength(3);
  });
});

describe('a leader that fails', () => {
  /** What its siblings share is large: thousands of words before the calls. */
  const failing = (count: number, faults: readonly Rule[]): Rule[] => [
    ...faults.map((rule) => ({ when: FORKED, times: 1, ...rule })),
    { name: 'fork', when: FORKED, reply: 'Scope: done' },
    { name: 'read', when: { nth: 1 }, reply: [look] },
    { name: 'fork out', when: { nth: 2 }, reply: ['word '.repeat(3_000), ...forks(count)] },
    { name: 'end', reply: 'end' },
  ];
  const error = { fault: { kind: 'server_error', status: 500 } } as const;
  const cutOff = { fault: { kind: 'disconnect', at: 'headers' } } as const;
  const denied = { fault: 'unauthorized' } as const;
  /** The clock is fast: the one that failed is ready to try again soon. */
  const play = async (rows: (clock: Clock) => readonly Rule[]) => {
    const stage = await setStage([], { ttftMs: 20 });
    const host = fastHost(stage.folder, stage.env, 100);
    stage.sim.use(failing(8, rows(host.clock)));
    await stage.settings({ fork: { ...ALL, warmupMs: 3_600_000 } });
    const end = await (await stage.open({ fork: 'on', tools: [lookTool], host })).send('go');
    expect(end, stage.sim.report()).toMatchObject({ reason: 'completed', text: 'end' });
    return stage;
  };
  const faults: readonly (readonly [string, readonly Rule[]])[] = [
    ['once with 500', [error]],
    ['three times with 500', [error, error, error]],
    ['by a connection that is cut', [cutOff]],
    ['as the key is refused', [denied]],
    ['in turn by all of these', [error, cutOff, denied, error]],
  ];
  it.each(faults)('FK-11: fails %s: the next one leads, and one alone pays', async (_name, rows) => {
    const stage = await play(() => rows);
    expect(payers(stage)).toBe(1);
  });

  it('FK-11: the one that failed waits with the others before it tries again', async () => {
    // The next leader's response begins when the first could long have tried again.
    const late = (clock: Clock): Rule => ({
      reply: async () => {
        const from = clock.elapsed();
        await until(() => clock.elapsed() > from + 10_000);
        return 'Scope: late';
      },
    });
    const stage = await play((clock) => [error, late(clock)]);
    expect(payers(stage)).toBe(1);
    const [failed, leader, ...others] = stage.sim.requests.filter(({ raw }) => raw.includes('You are a forked worker'));
    expect([failed?.status, leader?.usage?.cache_creation_input_tokens]).toEqual([500, expect.any(Number)]);
    expect(others).toHaveLength(7);
  });
});

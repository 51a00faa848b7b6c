import { describe, expect, it } from 'vitest';
import { wholeCount } from '../../../src/protocol/format-numbers.js';
import type { Rule, SimRequest } from '../../../src/sim/index.js';
import { eventsOf, expectAllAccepted, readingTool, type Stage, setStage } from '../../support/story.js';
import { comparable, countMarkers } from '../../support/wire-body.js';
import { ALL, FORKED, firsts, forks, look, lookTool, payers, rules, run } from './fork-cache-stage.js';
import { cachedBy, expectIdentity, messagesOf, parentRequests, readBy } from './fork-check.js';

describe('cache markers', () => {
  it.each([2, 8, 40])(
    'FK-10: the first request of each of %i forks has 4, where its parent, its siblings and itself ended',
    async (count) => {
      const stage = await run(count);
      expectAllAccepted(stage.sim);
      const parent = parentRequests(stage.sim)[1] as SimRequest;
      for (const request of firsts(stage)) {
        expect(countMarkers(request)).toBe(4);
        const marked = request.body.messages.flatMap((message, at) =>
          (message.content as readonly { type: string; cache_control?: object }[]).flatMap((block, index) =>
            block.cache_control ? [`${at}.${index} ${block.type}`] : [],
          ),
        );
        const end = messagesOf(parent).length;
        expect(marked).toEqual([
          `${end - 1}.0 tool_result`,
          `${end + 1}.${count - 1} tool_result`,
          `${end + 1}.${count} text`,
        ]);
        expect((request.body.system as readonly { cache_control?: object }[]).at(-1)?.cache_control).toBeDefined();
        expect(readBy(request)).toBeGreaterThanOrEqual(cachedBy(parent) * 0.99);
      }
      // The parent's next request, 80 blocks later, still reads what it had.
      const next = parentRequests(stage.sim)[2] as SimRequest;
      expect(readBy(next)).toBeGreaterThanOrEqual(cachedBy(parent) * 0.99);
    },
  );

  it('FK-10: a turn of 30 parallel calls still hits', async () => {
    const stage = await setStage([
      { when: { nth: 1 }, reply: [look] },
      { when: { nth: 2 }, reply: Array.from({ length: 30 }, () => look) },
      { when: { nth: 3 }, reply: [look] },
      { reply: 'end' },
    ]);
    await (await stage.open({ tools: [readingTool('Look', async () => 'word '.repeat(200))] })).send('go');
    expectAllAccepted(stage.sim);
    stage.sim.requests.slice(1).forEach((request, index) => {
      expect(readBy(request)).toBe(cachedBy(stage.sim.requests[index] as SimRequest));
    });
  });

  it('FK-10: never on thinking; one lifetime for the whole tree', async () => {
    const stage = await setStage(rules(3));
    await stage.settings({ cacheLifetime: '1h' });
    await (await stage.open({ fork: 'on', tools: [lookTool] })).send('go');
    expectAllAccepted(stage.sim);
    for (const request of stage.sim.requests) {
      expect(request.raw.toString()).not.toMatch(/"ephemeral"\}/);
      expect(request.usage?.cache_creation?.ephemeral_5m_input_tokens ?? 0).toBe(0);
    }
  });

  it('FK-10, FK-11: siblings by hand share the last reply, which no request has sent yet', async () => {
    const stage = await setStage(
      [{ when: FORKED, reply: 'Scope: done' }, { when: { nth: 1 }, reply: [look] }, { reply: 'word '.repeat(4_000) }],
      { ttftMs: 60 },
    );
    const session = await stage.open({ tools: [lookTool] });
    await session.send('go');
    await Promise.all([1, 2, 3, 4, 5].map((n) => session.fork(`DIRECTIVE ${n} go`)));
    expectAllAccepted(stage.sim);
    expectIdentity(stage.sim, parentRequests(stage.sim)[1] as SimRequest, 5);
    expect(payers(stage)).toBeLessThanOrEqual(1);
    for (const request of firsts(stage)) expect(countMarkers(request)).toBe(4);
  });
});

describe('the audit', () => {
  it('FK-13: every request says its bytes and what it shares, and the sim agrees', async () => {
    const stage = await run(3);
    const replies = stage.events.flatMap(({ agent, event }) =>
      event.kind === 'assistant-replied' ? [{ agent, ...event }] : [],
    );
    expect(replies).toHaveLength(stage.sim.requests.length);
    for (const { requestBytes, shared } of replies) {
      expect(requestBytes).toBeGreaterThan(0);
      if (shared !== undefined) expect(shared).toMatchObject({ bytes: shared.of });
    }
    const bytes = replies.map(({ requestBytes }) => requestBytes).sort((a, b) => a - b);
    const markers = /,"cache_control":\{"type":"ephemeral"\}/g;
    const wire = stage.sim.requests
      .map((request) => Buffer.byteLength(request.raw.toString().replace(markers, '')) - 2)
      .sort((a, b) => a - b);
    expect(bytes).toEqual(wire);
    expect(warnings(stage)).toEqual([]);
  });

  it('FK-13: a fork on a model that drops earlier thinking starts cold, and the user is informed why', async () => {
    const stage = await setStage(rules(2));
    await stage.settings({ fork: ALL });
    const session = await stage.open({ fork: 'on', model: 'claude-sonnet-4-5', tools: [lookTool] });
    await session.send('go');
    expectAllAccepted(stage.sim);
    const [line] = warnings(stage);
    expect(line).toMatch(
      /the fork "part \d" started cold: it read [\d,]+ of the [\d,]+ tokens.*claude-sonnet-4-5 drops earlier thinking.*keepsThinking/,
    );
    expectIdentity(stage.sim, parentRequests(stage.sim)[1] as SimRequest, 2);
  });

  it('FK-13: a fork whose parent’s cache has expired is reported as that', async () => {
    let now = 0;
    const stage = await setStage(
      [{ when: FORKED, reply: 'Scope: done' }, { when: { nth: 1 }, reply: [look] }, { reply: 'ready' }],
      {
        clock: { now: () => now, sleep: async () => {} } as never,
      },
    );
    const session = await stage.open({ tools: [lookTool] });
    await session.send('go');
    now += 6 * 60_000;
    await session.fork('DIRECTIVE 1 go');
    expect(warnings(stage)[0]).toMatch(/started cold: it read 0 of .*expired/);
  });

  it('FK-9: a result too large for the conversation is replaced once: parent and fork carry the same', async () => {
    const big = readingTool('Big', async () => `begin ${'x'.repeat(200_000)} finish`);
    const stage = await setStage([
      { when: FORKED, reply: 'Scope: done' },
      { when: { nth: 1 }, reply: [{ tool: 'Big', input: {} }] },
      { when: { nth: 2 }, reply: forks(2) },
      { reply: 'end' },
    ]);
    await stage.settings({ fork: ALL });
    await (await stage.open({ fork: 'on', tools: [big] })).send('go');
    expectAllAccepted(stage.sim);
    const parent = parentRequests(stage.sim)[1] as SimRequest;
    expect(parent.raw.length).toBeLessThan(80_000);
    expect(parent.raw.toString()).toMatch(/characters are omitted. The full text is in/);
    expectIdentity(stage.sim, parent, 2);
    const replaced = (request: SimRequest) => JSON.stringify(messagesOf(request)[2]);
    expect(replaced(parentRequests(stage.sim)[2] as SimRequest)).toBe(replaced(parent));
  });
});

describe('by hand, right after a resume', () => {
  const words: Rule[] = [
    { when: FORKED, reply: 'Scope: done' },
    { when: { nth: 1 }, reply: [{ thinking: 'hm' }, look] },
    { reply: [{ thinking: 'so' }, 'ready'] },
  ];
  /** Says something, leaves, comes back after a while, and forks. */
  const forkLater = async (minutes: number, tools = [lookTool]) => {
    let now = 0;
    const stage = await setStage(words, { clock: { now: () => now, sleep: async () => {} } as never });
    const session = await stage.open({ tools: [lookTool] });
    await session.send('go');
    await session.close();
    now += minutes * 60_000;
    const again = await stage.open({ tools, resume: session.id });
    expect(await again.fork('DIRECTIVE 1 go')).toMatchObject({ status: 'completed' });
    expectAllAccepted(stage.sim);
    const [first] = firsts(stage);
    const reply = eventsOf(stage, 'assistant-replied').at(-1);
    return { stage, first, shared: reply?.shared, parent: parentRequests(stage.sim)[1] as SimRequest };
  };

  it('FK-13: its shared bytes are on record, and it starts warm', async () => {
    const { stage, first, shared, parent } = await forkLater(1);
    expectIdentity(stage.sim, parent, 1);
    expect(shared).toEqual({ with: 'main', of: comparable(parent).length, bytes: comparable(parent).length });
    expect(readBy(first as SimRequest)).toBe(cachedBy(parent));
    expect(warnings(stage)).toEqual([]);
  });

  it('FK-13: the user is informed that it starts cold, and why', async () => {
    const { stage, shared, parent } = await forkLater(10);
    expect(shared).toMatchObject({ with: 'main', bytes: shared?.of });
    const figures = `it read 0 of the ${wholeCount(cachedBy(parent))} tokens its parent had cached`;
    expect(warnings(stage)).toEqual([expect.stringMatching(new RegExp(`started cold: ${figures}.*expired`))]);
  });

  it('FK-13: with other tools it repeats nothing, and reports it instead', async () => {
    const { stage, shared } = await forkLater(1, [lookTool, readingTool('Other', async () => 'x')]);
    expect(shared).toBeUndefined();
    expect(warnings(stage)).toEqual([expect.stringContaining('switched to another model, effort or tools')]);
  });
});

function warnings(stage: Stage): string[] {
  return eventsOf(stage, 'line-shown').flatMap(({ level, line }) => (level === 'warning' ? [line] : []));
}

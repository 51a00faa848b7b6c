/** LC-17: one budget for the whole tree, whatever its agents do at the same time. */

import { describe, expect, it } from 'vitest';
import type { Rule } from '../../src/sim/index.js';
import { gate, onceOpen } from '../support/gate.js';
import { fastHost } from '../support/hosts/fast-host.js';
import { eventsOf, faultLines, readingTool, type Stage, setStage } from '../support/story.js';
import { turns, until } from '../support/until.js';
import { callResults, childCall, noticesIn } from './background/background-stage.js';

/** By the model's own count, whatever became of the reply. */
function usedTokens({ sim }: Stage): number {
  return sim.requests.reduce((sum, { usage }) => {
    const read = (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
    return sum + (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0) + read;
  }, 0);
}

/** At the prices of opus. */
function usedDollars({ sim }: Stage): number {
  return sim.requests.reduce((sum, { usage }) => {
    const cache = (usage?.cache_read_input_tokens ?? 0) * 0.2 + (usage?.cache_creation_input_tokens ?? 0) * 5;
    return sum + ((usage?.input_tokens ?? 0) * 4 + (usage?.output_tokens ?? 0) * 20 + cache) / 1e6;
  }, 0);
}

/** Twenty children at once, all of which have asked for their request before one is answered. */
async function twentyAtOnce(stage: Stage, held: ReturnType<typeof gate>, limits: object) {
  const session = await stage.open(limits);
  const end = session.send('Delegate.');
  await until(() => eventsOf(stage, 'turn-started').length >= 21, 'all have asked');
  held.open();
  return end;
}

describe('twenty children at once', () => {
  const rules = (held: ReturnType<typeof gate>, output: number): Rule[] => [
    { when: { said: 'CHILD' }, reply: onceOpen(held, 'x'), usage: { output } },
    { when: { nth: 1 }, reply: Array.from({ length: 20 }, () => childCall({})) },
    { reply: 'End.' },
  ];

  it('LC-17: never use more than --max-tokens 60000, and some of them get to work', async () => {
    const held = gate();
    const stage = await setStage(rules(held, 9_000));
    await twentyAtOnce(stage, held, { maxTokens: 60_000 });
    expect(usedTokens(stage)).toBeLessThanOrEqual(60_000);
    expect(stage.sim.requests.length).toBeGreaterThan(2);
  });

  it('LC-17: never cost more than --max-usd 1, and some of them get to work', async () => {
    const held = gate();
    const stage = await setStage(rules(held, 10_000));
    await twentyAtOnce(stage, held, { maxUsd: 1 });
    expect(usedDollars(stage)).toBeLessThanOrEqual(1);
    expect(stage.sim.requests.length).toBeGreaterThan(2);
  });

  it('LC-17: their own limit applies in the limit of all', async () => {
    const held = gate();
    const stage = await setStage([
      { when: { said: 'CHILD' }, reply: onceOpen(held, 'x'), usage: { output: 10_000 } },
      { when: { nth: 1 }, reply: Array.from({ length: 20 }, () => childCall({ max_usd: 0.9 })) },
      { reply: 'End.' },
    ]);
    await twentyAtOnce(stage, held, { maxUsd: 1 });
    expect(usedDollars(stage)).toBeLessThanOrEqual(1);
  });
});

it.each([
  ['--max-usd 1', { maxUsd: 1 }, 1, usedDollars],
  ['--max-tokens 200000', { maxTokens: 200_000 }, 200_000, usedTokens],
])(
  'LC-17: twenty in the background that never end on their own stop under %s, with what they had',
  async (_name, limits, most, used) => {
    const stage = await setStage([
      { when: { user: '<task-notification>' }, reply: 'Heard.' },
      {
        when: { said: 'CHILD' },
        reply: ['So far.', { tool: 'Glob', input: { pattern: '*' } }],
        usage: { output: 2_000 },
      },
      { when: { nth: 1 }, reply: Array.from({ length: 20 }, () => childCall({ run_in_background: true })) },
      { reply: 'On.' },
    ]);
    const session = await stage.open(limits);
    await session.send('Delegate.');
    await session.settled(20_000);
    expect(used(stage)).toBeLessThanOrEqual(most);
    expect(used(stage)).toBeGreaterThan(most / 3);
    expect(session.snapshot().filter(({ status }) => status === 'running')).toEqual([]);
    const ends = noticesIn(stage.events).filter(({ text }) => text.includes('So far.'));
    expect(ends.length).toBeGreaterThan(0);
  },
);

describe('a model without a price under --max-usd', () => {
  const SETTING = /Add one to your settings: (\{"models".*\}\}\}\})/;

  it('LC-17: no child is started on it, and the caller sees the setting, which then works', async () => {
    const stage = await setStage([
      { when: { said: 'CHILD' }, reply: 'done' },
      { when: { nth: 1 }, reply: [childCall({ model: 'my-own-model' })] },
      { reply: 'End.' },
    ]);
    expect((await (await stage.open({ maxUsd: 1 })).send('Delegate.')).reason).toBe('completed');
    expect(stage.sim.requests.map(({ body }) => body.model)).not.toContain('my-own-model');
    const [refusal = ''] = callResults(stage, 'Agent');
    await stage.settings(JSON.parse(SETTING.exec(refusal)?.[1] ?? '{}'));
    await (await stage.open({ maxUsd: 1 })).send('Delegate.');
    expect(stage.sim.requests.map(({ body }) => body.model)).toContain('my-own-model');
  });

  it('LC-17: a definition names it, or only the call is limited: refused as well', async () => {
    const stage = await setStage([
      { when: { said: 'CHILD' }, reply: 'done' },
      { when: { nth: 1 }, reply: [childCall({ subagent_type: 'helper' }), childCall({ model: 'other', max_usd: 1 })] },
      { reply: 'End.' },
    ]);
    await stage.write(
      '.claude/agents/helper.md',
      '---\nname: helper\ndescription: helps\nmodel: my-own-model\n---\nHelp.',
    );
    await (await stage.open({ maxUsd: 1 })).send('Delegate.');
    expect(callResults(stage, 'Agent')).toEqual([expect.stringMatching(SETTING), expect.stringMatching(SETTING)]);
    await (await stage.open({})).send('Delegate.');
    expect(callResults(stage, 'Agent').slice(2).sort()).toEqual([
      expect.stringMatching(SETTING),
      expect.stringMatching(/^done/),
    ]);
  });

  it('LC-17: a switch to it is refused, before the first prompt and after it; nothing changes', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    const session = await stage.open({ maxUsd: 1 });
    for (let round = 1; round <= 2; round += 1) {
      const refused = await session.execute({ type: 'set-model', model: 'my-own-model' });
      expect(refused).toMatchObject({ ok: false, reason: expect.stringMatching(SETTING) });
      expect(session.model).toBe('claude-opus-5-5');
      expect((await session.send('hello')).reason).toBe('completed');
    }
    expect(new Set(stage.sim.requests.map(({ body }) => body.model))).toEqual(new Set(['claude-opus-5-5']));
  });

  it('LC-17: a change of mode that would bring it in is refused', async () => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.settings({ models: { 'my-own-model': { aliases: ['opus'] } } });
    const session = await stage.open({ maxUsd: 1, model: 'opusplan' });
    const refused = await session.execute({ type: 'set-mode', mode: 'plan' });
    expect(refused).toMatchObject({ ok: false, reason: expect.stringMatching(SETTING) });
    expect(session.mode).toBe('default');
  });
});

describe('attempts', () => {
  it('LC-17: each is checked again before it is sent: what is cut off for ever does not go over', async () => {
    const stage = await setStage([{ fault: { kind: 'disconnect', at: 3 }, reply: 'never whole' }]);
    const session = await stage.open({ maxTokens: 60_000, host: fastHost(stage.folder, stage.env, 200) });
    expect(await session.send('word '.repeat(2_000))).toMatchObject({
      reason: 'max_tokens',
      line: expect.stringMatching(/\(--max-tokens\): it may take up to \d+ tokens, and \d+ of 60000 is left/),
    });
    expect(usedTokens(stage)).toBeLessThanOrEqual(60_000);
    expect(faultLines(stage).length).toBeGreaterThan(1);
  });

  it('LC-17: one that is cut off after thinking counts with all it may have thought: what is heard is a summary', async () => {
    const fault = { kind: 'disconnect', at: 6 } as const;
    const stage = await setStage([{ fault, reply: [{ thinking: 'Hm.' }, 'never whole'], usage: { output: 9_000 } }]);
    const session = await stage.open({ maxTokens: 60_000, host: fastHost(stage.folder, stage.env, 200) });
    expect((await session.send('hello')).reason).toBe('max_tokens');
    expect(usedTokens(stage)).toBeLessThanOrEqual(60_000);
    expect(stage.sim.requests.length).toBeGreaterThan(1);
  });

  it('LC-17: one that was stopped before an answer began counts with its input', async () => {
    const stage = await setStage([{ when: { nth: 1 }, fault: 'silence' }]);
    const session = await stage.open({ maxTokens: 60_000 });
    const ends: string[] = [];
    while (ends.at(-1) !== 'max_tokens' && ends.length < 20) {
      const sent = session.send('hello');
      const asked = stage.sim.requests.length + 1;
      await Promise.race([sent, until(() => stage.sim.requests.length === asked, 'asked').catch(() => {})]);
      session.interrupt();
      ends.push((await sent).reason);
    }
    expect(ends.at(-1)).toBe('max_tokens');
    expect(usedTokens(stage)).toBeLessThanOrEqual(60_000);
  });
});

it('LC-17: text that needs many tokens for few letters does not go over either', async () => {
  // Counted as a token for each byte, as the worst text is.
  const dense = '🦊'.repeat(1_500);
  const look = readingTool('Look', async () => dense);
  let input = 5_000;
  const stage = await setStage([
    {
      reply: (request) => {
        input = 5_000 + (request.nth - 1) * 6_200;
        return { blocks: ['again', { tool: 'Look' }], usage: { input, cacheRead: 0, cacheWrite5m: 0, output: 100 } };
      },
    },
  ]);
  await stage.settings({ models: { 'claude-opus-5-5': { maxOutput: 1_024 } } });
  const session = await stage.open({ maxTokens: 57_000, tools: [look] });
  expect((await session.send('go')).reason).toBe('max_tokens');
  expect(usedTokens(stage)).toBeLessThanOrEqual(57_000);
  expect(stage.sim.requests).toHaveLength(3);
});

it.each([
  ['5m', 'completed'],
  ['1h', 'max_usd'],
] as const)(
  'LC-17: input counts at the dearest price: with a cache lifetime of %s it is %s',
  async (cacheLifetime, reason) => {
    const stage = await setStage([{ reply: 'ok' }]);
    await stage.settings({ cacheLifetime, models: { 'claude-opus-5-5': { maxOutput: 1_024 } } });
    const session = await stage.open({ maxUsd: 0.25 });
    expect((await session.send('word '.repeat(4_000))).reason).toBe(reason);
  },
);

it('LC-17, LC-18: a child that waits for room in the budget has sent nothing yet, so it is not silent either', async () => {
  const held = gate();
  const stage = await setStage([
    { when: { said: 'CHILD' }, reply: onceOpen(held, 'done') },
    { when: { nth: 1 }, reply: [childCall({}), childCall({})] },
    { reply: 'End.' },
  ]);
  // Room for one of them at a time.
  const session = await stage.open({ maxTokens: 45_000 });
  const end = session.send('Delegate.');
  const sent = () => eventsOf(stage, 'request-sent').length;
  await until(() => eventsOf(stage, 'turn-started').length === 3 && sent() === 2, 'both have begun, one has asked');
  await turns(10);
  expect(sent()).toBe(2);
  held.open();
  await end;
  expect(callResults(stage, 'Agent').map((result) => result.slice(0, 4))).toEqual(['done', 'done']);
});

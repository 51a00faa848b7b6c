/** LC-23, LC-24: what is larger than the window, and conversations that are too long to be summarised as a whole. */

import { describe, expect, it } from 'vitest';
import type { Rule } from '../../src/sim/index.js';
import {
  eventsOf,
  expectAllAccepted,
  faultLines,
  readingTool,
  readTranscript,
  type Stage,
  setStage,
} from '../support/story.js';
import { lastSent, wireText } from '../support/wire-body.js';

const MODEL = 'claude-opus-5-5';
const SUMMARY: Rule = { when: { user: '<compaction>' }, reply: '## Next\ngo on' };
const asksForSummary = ({ raw }: { raw: Buffer }) => raw.includes('<compaction>');

/** `known`: what our own data say of the window; the model has `context` tokens. */
async function smallStage(rules: readonly Rule[], context: number, known = context): Promise<Stage> {
  const stage = await setStage(rules, { models: { [MODEL]: { contextTokens: context } } });
  await stage.settings({ models: { [MODEL]: { context: known, maxOutput: 1_000 } } });
  return stage;
}

describe('a prompt larger than the window', () => {
  it('LC-23: 5 MB: an error with the sizes, and nothing is sent; what was said before is kept, and the session continues', async () => {
    const stage = await setStage([{ reply: 'fine' }]);
    const session = await stage.open();
    await session.send('remember the trees');
    const large = 'larger than anything '.repeat(250_000);
    expect(await session.send(large)).toMatchObject({
      reason: 'overflow',
      line: expect.stringMatching(
        /^the prompt is too large: about 1,[\d,]+ tokens \(5\.\d MB\), and the context window of claude-opus-5-5 has 1,000,000\. It was not sent/,
      ),
    });
    expect(stage.sim.requests).toHaveLength(1);
    expect(eventsOf(stage, 'history-compacted')).toEqual([]);
    // On disk it is whole, in the conversation a note stands for it.
    const records = await readTranscript(session.transcript);
    expect(
      records.some(({ event }) => event.kind === 'input-admitted' && (event.blocks[0]?.bytes.length ?? 0) > 5e6),
    ).toBe(true);
    expect(await session.send('and now?')).toMatchObject({ reason: 'completed' });
    expect(lastSent(stage.sim)).toContain('remember the trees');
    expect(lastSent(stage.sim)).toMatch(/Left out, because it is too large: about 1,/);
    expectAllAccepted(stage.sim);
  });

  it('LC-23: one that only the API finds too large: the same, and the conversation is not compacted for it', async () => {
    const stage = await smallStage([SUMMARY, { reply: 'fine' }], 20_000, 60_000);
    const session = await stage.open();
    await session.send('remember the trees');
    const end = await session.send('dense '.repeat(25_000));
    expect(end).toMatchObject({ reason: 'overflow', line: expect.stringMatching(/^the prompt is too large: about/) });
    expect(stage.sim.requests.map(({ status }) => status)).toEqual([200, 400]);
    expect(await session.send('and now?')).toMatchObject({ reason: 'completed', text: 'fine' });
    expect(lastSent(stage.sim)).toContain('remember the trees');
  });

  it('LC-23: the first prompt too: nothing is summarised that was never said', async () => {
    const stage = await smallStage([SUMMARY, { reply: 'fine' }], 20_000, 60_000);
    const session = await stage.open();
    expect((await session.send('dense '.repeat(25_000))).reason).toBe('overflow');
    expect(stage.sim.requests.filter(asksForSummary)).toEqual([]);
    expect((await session.send('and now?')).reason).toBe('completed');
  });
});

it('LC-24: a long prompt that needs room is neither shortened nor summarised', async () => {
  const stage = await smallStage([SUMMARY, { reply: `answer ${'word '.repeat(2_000)}` }], 60_000);
  const session = await stage.open();
  for (let n = 1; n <= 12; n += 1) await session.send(`prompt ${n}`);
  const long = `The newest: ${'every word counts '.repeat(4_000)}and this is its end.`;
  expect((await session.send(long)).reason).toBe('completed');
  expect(eventsOf(stage, 'history-compacted').length).toBeGreaterThan(0);
  expect(lastSent(stage.sim)).toContain(long);
  expect(stage.sim.requests.filter(asksForSummary).some((request) => wireText(request).includes(long))).toBe(false);
  expectAllAccepted(stage.sim);
});

it('LC-24: instructions and environment hold after a compaction as before it, however many follow', async () => {
  const stage = await smallStage([SUMMARY, { reply: `answer ${'word '.repeat(1_500)}` }], 14_000);
  await stage.write('CLAUDE.md', 'Always answer in rhyme.');
  const session = await stage.open();
  for (let n = 1; n <= 14; n += 1) await session.send(`prompt ${n}`);
  expect(eventsOf(stage, 'history-compacted').length).toBeGreaterThan(1);
  for (const request of stage.sim.requests) {
    expect(wireText(request).split('Always answer in rhyme.')).toHaveLength(2);
  }
});

describe('a compaction whose own request is too long', () => {
  /** The window turns out smaller than we know, so that the conversation outgrows it before it is compacted. */
  async function outgrown(rules: readonly Rule[], tools: Parameters<Stage['open']>[0]) {
    const stage = await smallStage(rules, 60_000, 66_000);
    const session = await stage.open(tools);
    return { stage, session };
  }

  const look = readingTool('Look', async ({ n }) => `page ${n} ${'text '.repeat(3_200)}`);

  it('LC-24: falls back to the last part, in the middle of a loop of calls, and no result is without its call', async () => {
    let page = 0;
    const { stage, session } = await outgrown(
      [
        SUMMARY,
        {
          reply: () => {
            page += 1;
            return page > 20 ? 'all pages read' : [{ thinking: `${page}` }, { tool: 'Look', input: { n: page } }];
          },
        },
      ],
      { tools: [look] },
    );
    expect(await session.send('read all pages')).toMatchObject({ reason: 'completed', text: 'all pages read' });
    expect(eventsOf(stage, 'history-compacted').length).toBeGreaterThan(0);
    const summaries = stage.sim.requests.filter(asksForSummary);
    expect(summaries.some(({ status }) => status === 400)).toBe(true);
    // Whatever was refused was refused for its length alone.
    expect(
      stage.sim.requests
        .filter(({ status }) => status !== 200)
        .every(({ error }) => /too long/.test(JSON.stringify(error))),
    ).toBe(true);
    const part = summaries.find(({ status }) => status === 200);
    expect(part && wireText(part)).toMatch(/\[\d+ earlier messages are left out here/);
    expect(part?.usage?.input_tokens ?? 0).toBeLessThan(60_000);
    expect(lastSent(stage.sim)).toContain('read all pages');
  });

  it('LC-24: results of one reply that are together larger than the window: what fits of them is summarised', async () => {
    const wide = readingTool('Wide', async ({ n }) => `wide ${n} ${'text '.repeat(12_000)}`);
    const { stage, session } = await outgrown(
      [
        SUMMARY,
        { when: { said: 'go on' }, reply: 'done' },
        { reply: Array.from({ length: 6 }, (_, n) => ({ tool: 'Wide', input: { n } })) },
      ],
      { tools: [wide] },
    );
    expect(await session.send('read widely')).toMatchObject({ reason: 'completed', text: 'done' });
    expect(lastSent(stage.sim)).toContain('read widely');
    const part = stage.sim.requests.find((request) => asksForSummary(request) && request.status === 200);
    for (let n = 0; n < 6; n += 1) expect(part && wireText(part)).toContain(`wide ${n}`);
  });

  it('LC-24: by hand as well; when not even a small part is taken, that is reported and what was there is kept', async () => {
    const { stage, session } = await outgrown([{ reply: `answer ${'word '.repeat(2_000)}` }], {});
    for (let n = 1; n <= 3; n += 1) await session.send(`prompt ${n}`);
    stage.sim.use([
      { when: { user: '<compaction>' }, fault: { kind: 'overflow', times: 2 }, reply: 'in short' },
      { reply: 'on' },
    ]);
    expect(await session.execute({ type: 'compact' })).toEqual({ ok: true });
    expect(faultLines(stage)).toEqual([
      expect.stringMatching(/too long to summarise as a whole.*summarising its last part/),
    ]);
    await session.send('on');
    stage.sim.use([{ when: { user: '<compaction>' }, fault: 'overflow' }, { reply: 'on' }]);
    expect(await session.execute({ type: 'compact' })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('could not be compacted'),
    });
    expect((await session.send('on')).reason).toBe('completed');
    expect(lastSent(stage.sim)).toContain('in short');
  });
});

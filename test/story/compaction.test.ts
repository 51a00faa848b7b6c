/** LC-24 and FK-25: compaction near the limit, and the epochs it begins. */

import { expect, it } from 'vitest';
import type { TranscriptRecord } from '../../src/session/transcript/record.js';
import type { Rule } from '../../src/sim/index.js';
import { eventsOf, expectAllAccepted, readingTool, readTranscript, type Stage, setStage } from '../support/story.js';
import { comparable, lastSent, wireText } from '../support/wire-body.js';

const MODEL = 'claude-opus-5-5';
const SUMMARY: Rule = { when: { user: '<compaction>' }, reply: '## Asked for\nnumbers\n## Next\ngo on counting' };

/** A model with little room, known as such to both sides. */
async function smallStage(rules: readonly Rule[], context = 14_000): Promise<Stage> {
  const stage = await setStage(rules, { models: { [MODEL]: { contextTokens: context } } });
  await stage.settings({ models: { [MODEL]: { context, maxOutput: 1_000 } } });
  return stage;
}

it('LC-24: near the limit a summary is written and the work continues; the boundary is a record, the originals stay', async () => {
  const stage = await smallStage([
    SUMMARY,
    { reply: (request) => `answer ${request.said.length} ${'word '.repeat(1_500)}` },
  ]);
  const session = await stage.open();
  for (let n = 1; n <= 12; n += 1) {
    expect((await session.send(`prompt number ${n}`)).reason).toBe('completed');
  }
  expectAllAccepted(stage.sim);
  const compactions = eventsOf(stage, 'history-compacted');
  expect(compactions.length).toBeGreaterThan(1);
  expect(compactions.every(({ trigger }) => trigger === 'auto')).toBe(true);

  const records = await readTranscript(session.transcript);
  const boundary = records.findIndex(({ event }) => event.kind === 'history-compacted');
  const before = JSON.stringify(records.slice(0, boundary).map(readable));
  expect(before).toContain('prompt number 1');
  expect(before).toContain('answer 1');
  // What is asked after the boundary begins with the summary and the user's last words, not with the originals.
  const after = stage.sim.requests.find(({ raw }) => raw.includes('<conversation-summary>'));
  const text = after ? wireText(after) : '';
  expect(text).toContain('go on counting');
  expect(text).toMatch(/prompt number \d/);
  expect(text).not.toContain('answer 1 word');
});

it('FK-25: each epoch is a record with its reason; inside one the prefix is constant and requests only grow', async () => {
  const stage = await smallStage([SUMMARY, { reply: () => `answer ${'word '.repeat(1_500)}` }]);
  const session = await stage.open();
  for (let n = 1; n <= 12; n += 1) await session.send(`prompt number ${n}`);
  const epochs = (await readTranscript(session.transcript)).flatMap(({ event }) =>
    event.kind === 'epoch-started' ? [event] : [],
  );
  expect(epochs[0]?.reason).toBe('session-start');
  expect(epochs.slice(1).length).toBe(eventsOf(stage, 'history-compacted').length);
  expect(new Set(epochs.slice(1).map(({ reason }) => reason))).toEqual(new Set(['compaction']));
  expect(new Set(epochs.map(({ prefix }) => prefix)).size).toBe(1);

  let broken = 0;
  let previous: string | undefined;
  for (const request of stage.sim.requests) {
    const text = comparable(request);
    if (previous !== undefined && !text.startsWith(previous)) broken += 1;
    // The request for the summary repeats everything and adds one message; nothing continues from it.
    previous = text;
  }
  expect(broken).toBe(epochs.length - 1);
});

it('LC-24: the request for the summary reads what was said from the cache', async () => {
  const stage = await smallStage([SUMMARY, { reply: () => `answer ${'word '.repeat(1_500)}` }]);
  const session = await stage.open();
  for (let n = 1; n <= 12; n += 1) await session.send(`prompt number ${n}`);
  const at = stage.sim.requests.findIndex(({ raw }) => raw.includes('<compaction>'));
  const before = stage.sim.requests[at - 1]?.usage;
  const had = (before?.cache_read_input_tokens ?? 0) + (before?.cache_creation_input_tokens ?? 0);
  expect(had).toBeGreaterThan(1_000);
  expect(stage.sim.requests[at]?.usage?.cache_read_input_tokens).toBeGreaterThanOrEqual(had * 0.99);
});

it('LC-24: never between a call and its result, in the middle of a long loop of calls', async () => {
  const look = readingTool('Look', async ({ n }) => `page ${n} ${'text '.repeat(700)}`);
  let page = 0;
  const stage = await smallStage([
    SUMMARY,
    {
      reply: () => {
        page += 1;
        return page > 12
          ? 'all pages read'
          : [
              { thinking: `page ${page}` },
              { tool: 'Look', input: { n: page } },
              { tool: 'Look', input: { n: page + 100 } },
            ];
      },
    },
  ]);
  const session = await stage.open({ tools: [look] });
  expect(await session.send('read all pages')).toMatchObject({ reason: 'completed', text: 'all pages read' });
  expectAllAccepted(stage.sim);
  expect(eventsOf(stage, 'history-compacted').length).toBeGreaterThan(0);
  // In the records, every call of every reply is finished before the next boundary.
  const open = new Set<string>();
  for (const { event } of await readTranscript(session.transcript)) {
    if (event.kind === 'assistant-replied')
      for (const id of callIds(readable({ event } as TranscriptRecord))) open.add(id);
    if (event.kind === 'call-finished') open.delete(event.call);
    if (event.kind === 'history-compacted') expect([...open]).toEqual([]);
  }
  // What the user asked for is still there after the last boundary.
  expect(lastSent(stage.sim)).toContain('read all pages');
});

it('LC-24: settings that give a model a small context and say nothing of its output still leave room to work', async () => {
  const stage = await setStage([SUMMARY, { reply: 'short' }], { models: { [MODEL]: { contextTokens: 20_000 } } });
  await stage.settings({ models: { [MODEL]: { context: 20_000 } } });
  const session = await stage.open();
  for (let n = 1; n <= 4; n += 1) await session.send(`prompt number ${n}`);
  expect(eventsOf(stage, 'history-compacted')).toHaveLength(0);
  expectAllAccepted(stage.sim);
});

it('LC-24: a summary that never comes is reported, and what was there is kept', async () => {
  const stage = await smallStage([
    { when: { user: '<compaction>' }, fault: 'unauthorized', times: 1 },
    SUMMARY,
    { reply: () => `answer ${'word '.repeat(1_500)}` },
  ]);
  const session = await stage.open();
  let failed: { reason: string; line?: string } | undefined;
  for (let n = 1; n <= 12; n += 1) {
    const end = await session.send(`prompt number ${n}`);
    if (end.reason !== 'completed') failed ??= end;
  }
  expect(failed).toMatchObject({ reason: 'overflow', line: expect.stringContaining('could not be compacted') });
  expect(eventsOf(stage, 'history-compacted').length).toBeGreaterThan(0);
});

function readable({ event }: TranscriptRecord): unknown {
  if (!('blocks' in event)) return event;
  return { kind: event.kind, blocks: event.blocks.map(({ bytes }) => Buffer.from(bytes).toString('utf8')) };
}

function callIds(reply: unknown): string[] {
  return [...JSON.stringify(reply).matchAll(/tool_use\\+",\\+"id\\+":\\+"([^"\\]+)/g)].map(([, id = '']) => id);
}

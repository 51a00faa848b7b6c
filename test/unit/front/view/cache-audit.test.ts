/** FK-13: every request with usage has a row in the audit, whatever its outcome. */

import { expect, it } from 'vitest';
import { type CacheAudit, CacheAuditor } from '../../../../src/front/view/cache-audit.js';
import { MAIN_AGENT } from '../../../../src/protocol/events.js';
import { inputTokens } from '../../../../src/protocol/usage.js';
import type { Rule } from '../../../../src/sim/index.js';
import { fastHost } from '../../../support/hosts/fast-host.js';
import { eventsOf, readTranscript, type Stage, setStage } from '../../../support/story.js';

const MODEL = 'claude-opus-5-5';
const words = `answer ${'word '.repeat(1_500)}`;

async function audited(rules: readonly Rule[], prompts: number): Promise<{ stage: Stage; audit: CacheAudit }> {
  const stage = await setStage(rules, { models: { [MODEL]: { contextTokens: 14_000 } } });
  await stage.settings({ models: { [MODEL]: { context: 14_000, maxOutput: 1_000 } } });
  const session = await stage.open({ host: fastHost(stage.folder, stage.env) });
  for (let n = 1; n <= prompts; n += 1) await session.send(`prompt ${n}`);
  await session.close();
  const auditor = new CacheAuditor();
  for (const { event } of await readTranscript(session.transcript)) auditor.add(MAIN_AGENT, event);
  return { stage, audit: auditor.finish() };
}

/** Of the model, for all requests it answered. */
function realInput({ sim }: Stage): number {
  return sim.requests.reduce((sum, { usage }) => {
    const cached = (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
    return sum + (usage?.input_tokens ?? 0) + cached;
  }, 0);
}

const auditedInput = ({ rows }: CacheAudit) =>
  rows.reduce((sum, { uncached, cacheRead, cacheWritten }) => sum + uncached + cacheRead + cacheWritten, 0);

it('FK-13: a compaction has a row with its bytes, what it repeats and what it read; it belongs to the epoch it ends', async () => {
  const { stage, audit } = await audited(
    [{ when: { user: '<compaction>' }, reply: '## Next\ngo on' }, { reply: words }],
    6,
  );
  const compactions = audit.rows.filter(({ purpose }) => purpose === 'compaction');
  expect(compactions.length).toBe(eventsOf(stage, 'history-compacted').length);
  expect(compactions.length).toBeGreaterThan(0);
  for (const row of compactions) {
    expect(row).toMatchObject({ model: MODEL, shared: { percent: 100 }, epoch: undefined });
    expect(row.bytes).toBeGreaterThan(10_000);
    expect(row.cacheRead).toBeGreaterThan(1_000);
  }
  expect(audit.rows).toHaveLength(stage.sim.requests.length);
  expect(auditedInput(audit)).toBe(realInput(stage));
});

it('FK-13: a discarded response has a row; an epoch is paid by its first request, whatever its outcome', async () => {
  const { stage, audit } = await audited([{ fault: { kind: 'disconnect', at: 3, times: 1 }, reply: 'half of it' }], 1);
  expect(audit.rows.map(({ purpose, request }) => [purpose, request])).toEqual([
    ['discarded', 1],
    ['turn', 2],
  ]);
  const [discarded, turn] = audit.rows;
  expect(discarded).toMatchObject({ epoch: 'session-start', cacheRead: 0, bytes: turn?.bytes });
  expect(discarded?.cacheWritten).toBeGreaterThan(1_000);
  expect(turn?.cacheRead).toBe(discarded?.cacheWritten);
  expect(audit.epochs).toMatchObject([{ request: 1, paidTokens: discarded?.cacheWritten }]);
  expect(auditedInput(audit)).toBe(realInput(stage));
});

it('FK-13: a request that the API rejected used nothing, and has no row', async () => {
  const { audit } = await audited([{ fault: { kind: 'overloaded', times: 2 }, reply: 'ok' }], 1);
  expect(audit.rows.map(({ purpose }) => purpose)).toEqual(['turn']);
});

it('LC-17: a discarded response is included after a resume, too', async () => {
  const stage = await setStage([{ fault: { kind: 'disconnect', at: 3, times: 1 }, reply: 'half of it' }]);
  const host = fastHost(stage.folder, stage.env);
  const session = await stage.open({ host });
  const { usage } = await session.send('hello');
  await session.close();
  const again = await stage.open({ host, resume: session.id });
  const end = await again.send('hello');
  const [last] = stage.sim.requests.slice(-1);
  const input = (last?.usage?.input_tokens ?? 0) + (last?.usage?.cache_read_input_tokens ?? 0);
  expect(inputTokens(end.usage)).toBe(inputTokens(usage) + input + (last?.usage?.cache_creation_input_tokens ?? 0));
});

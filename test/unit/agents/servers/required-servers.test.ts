import { describe, expect, it } from 'vitest';
import { waitForRequired } from '../../../../src/agents/servers/required-servers.js';
import { newAbort } from '../../../../src/host/clock.js';
import type { ServerReport } from '../../../../src/protocol/mcp/server-report.js';
import { ManualClock } from '../../../support/hosts/manual-clock.js';

function report(name: string, status: ServerReport['status'], tools: readonly string[] = [], reason?: string) {
  const more = reason === undefined ? {} : { reason };
  return { name, scope: 'user', file: 'f', transport: 'stdio' as const, status, tools, tokens: 0, ...more };
}

/** Looks as often as the clock is moved; `at` says how the servers stand at a time. */
async function wait(required: readonly string[], at: (ms: number) => readonly ServerReport[], signal?: AbortSignal) {
  const clock = new ManualClock();
  const looks: number[] = [];
  let end: { reason: string | undefined; ms: number } | undefined;
  const servers = {
    reports: () => {
      looks.push(clock.elapsed());
      return at(clock.elapsed());
    },
  };
  const waiting = waitForRequired({ required, servers, clock, signal: signal ?? newAbort().signal });
  void waiting.then((reason) => {
    end = { reason, ms: clock.elapsed() };
  });
  for (let step = 0; step < 700 && end === undefined; step += 1) {
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    if (end === undefined) await clock.advance(50);
  }
  return { ...(end ?? { reason: 'it never ended', ms: -1 }), looks };
}

describe('MC-5: servers that an agent requires', () => {
  it('MC-5 one that is there is not waited for', async () => {
    const { reason, ms } = await wait(['db'], () => [report('db', 'connected', ['mcp__db__query'])]);
    expect({ reason, ms }).toEqual({ reason: undefined, ms: 0 });
  });

  it('MC-5 a server that connects late is checked every 500 ms', async () => {
    const late = (ms: number) => report('db', ms < 1_700 ? 'connecting' : 'connected', ms < 1_700 ? [] : ['t']);
    const { reason, ms, looks } = await wait(['db'], (now) => [late(now)]);
    expect(reason).toBeUndefined();
    expect(ms).toBe(2_000);
    expect([...new Set(looks)]).toEqual([0, 500, 1_000, 1_500, 2_000]);
  });

  it('MC-5 the wait ends at once when one of several has failed, and names those that are missing', async () => {
    const { reason, ms } = await wait(['db', 'git', 'docs'], (now) => [
      report('db', now < 1_000 ? 'connecting' : 'failed', [], 'no such program'),
      report('docs', 'connected', ['t']),
      report('git', 'connecting'),
    ]);
    expect(ms).toBe(1_000);
    expect(reason).toContain('db');
    expect(reason).toContain('no such program');
    expect(reason).toContain('git is still connecting');
    expect(reason).not.toContain('docs');
  });

  it.each(['failed', 'needs-sign-in', 'off', 'not-approved', 'blocked', 'skipped'] as const)(
    'MC-5 one that is %s is not waited for',
    async (status) => {
      const { reason, ms } = await wait(['db'], () => [report('db', status, [], 'because')]);
      expect(ms).toBe(0);
      expect(reason).toContain('because');
    },
  );

  it('MC-5 one that nobody configured fails at once', async () => {
    const { reason, ms } = await wait(['db'], () => [report('other', 'connected', ['t'])]);
    expect(ms).toBe(0);
    expect(reason).toContain('no server of that name is configured');
  });

  it('MC-5 one that connects without tools, or never answers, is given up after 30 s', async () => {
    const without = await wait(['db'], () => [report('db', 'connected')]);
    expect(without.ms).toBe(30_000);
    expect(without.reason).toContain('offers no tool');
    const silent = await wait(['db'], () => [report('db', 'connecting')]);
    expect(silent.ms).toBe(30_000);
    expect(silent.reason).toContain('still connecting');
  });

  it('MC-5 patterns match whole names, without regard to case', async () => {
    const there = [report('Company-DB', 'connected', ['t']), report('a.b', 'connected', ['t'])];
    const wants = async (pattern: string) => (await wait([pattern], () => there)).reason === undefined;
    expect(await wants('company-db')).toBe(true);
    expect(await wants('COMPANY-*')).toBe(true);
    expect(await wants('*db')).toBe(true);
    expect(await wants('db')).toBe(false);
    expect(await wants('axb')).toBe(false);
    expect(await wants('a.b')).toBe(true);
  });

  it('MC-5 of several that match, one is enough', async () => {
    const { reason } = await wait(['db*'], () => [report('db1', 'failed', [], 'x'), report('db2', 'connected', ['t'])]);
    expect(reason).toBeUndefined();
  });

  it('MC-5 an interruption ends the wait', async () => {
    const abort = new AbortController();
    abort.abort();
    const { ms, reason } = await wait(['db'], () => [report('db', 'connecting')], abort.signal);
    expect(ms).toBe(0);
    expect(reason).toContain('db');
  });
});

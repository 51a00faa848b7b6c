/** How long calls and connects may take, by a clock that the test moves. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServerConfig } from '../../../../../src/config/mcp/server-config.js';
import { readLimits } from '../../../../../src/tools/mcp/connect/limits.js';
import { PausableTimers } from '../../../../../src/tools/mcp/connect/pausable-timers.js';
import { ManualClock } from '../../../../support/hosts/manual-clock.js';
import { until } from '../../../../support/until.js';
import { callOptions, setStage, textOf } from './connect-stage.js';

const MINUTE = 60_000;

async function setClockedStage(env: Readonly<Record<string, string>> = {}) {
  const clock = new ManualClock();
  const stage = await setStage((host) => ({ ...host, clock }), env);
  return { ...stage, clock };
}

/** What it came to, seen without waiting for it; its timers run. */
async function watch(clock: ManualClock, call: Promise<unknown>): Promise<{ readonly outcome: string | undefined }> {
  const seen: { outcome: string | undefined } = { outcome: undefined };
  call.then(
    () => {
      seen.outcome = 'answered';
    },
    (error: Error) => {
      seen.outcome = error.message;
    },
  );
  await clock.settle();
  return seen;
}

describe('MC-19: the times of a call', () => {
  const limitsOf = (config: object, env = {}) =>
    readLimits(
      { name: 's', origin: { scope: 'user', file: '' }, isForeign: false, config: config as ServerConfig },
      env,
    );

  it('come from the entry, from the environment, or are an hour', () => {
    expect(limitsOf({ kind: 'stdio' })).toEqual({
      connectMs: 30_000,
      callMs: 60 * MINUTE,
      idleMs: 30 * MINUTE,
      firstByteMs: MINUTE,
    });
    expect(limitsOf({ kind: 'http' }).idleMs).toBe(5 * MINUTE);
    expect(limitsOf({ kind: 'sse' }).idleMs).toBe(5 * MINUTE);
    expect(limitsOf({ kind: 'stdio' }, { MCP_TOOL_TIMEOUT: '9000' }).callMs).toBe(9_000);
    expect(limitsOf({ kind: 'stdio', timeoutMs: 2_000 }, { MCP_TOOL_TIMEOUT: '9000' }).callMs).toBe(2_000);
    expect(limitsOf({ kind: 'http', timeoutMs: 300_000 }).firstByteMs).toBe(300_000);
    expect(limitsOf({ kind: 'stdio' }, { CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT: '70000' }).idleMs).toBe(70_000);
    expect(limitsOf({ kind: 'stdio' }, { CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT: '0' }).idleMs).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  it('are never more than a timer can hold, and odd values are ignored', () => {
    const huge = '99999999999999';
    expect(limitsOf({ kind: 'stdio' }, { MCP_TOOL_TIMEOUT: huge }).callMs).toBe(2 ** 31 - 1);
    expect(limitsOf({ kind: 'stdio', timeoutMs: 1e13 }).callMs).toBe(2 ** 31 - 1);
    for (const odd of ['', 'soon', '-5', '1e3', '0']) {
      expect(limitsOf({ kind: 'stdio' }, { MCP_TOOL_TIMEOUT: odd, MCP_TIMEOUT: odd })).toMatchObject({
        callMs: 60 * MINUTE,
        connectMs: 30_000,
      });
    }
  });

  it('end a call that hangs, and notify the server', async () => {
    const { clock, ...stage } = await setClockedStage();
    const log = join(stage.folder, 'log');
    const connection = await stage.open({ ...stage.bad({ log }), timeoutMs: 5_000 });
    const call = await watch(clock, connection.callTool('hang', {}, callOptions()));
    await clock.advance(4_999);
    expect(call.outcome).toBeUndefined();
    await clock.advance(1);
    expect(call.outcome).toMatch(/^MCP server one: no answer within 5 s \(a limit that can be set by its "timeout"/);
    await until(() => readFileSync(log, 'utf8').includes('notifications/cancelled'));
    expect(textOf(await connection.callTool('noise', {}, callOptions()))).toBe('after noise');
    expect(clock.next).toBeUndefined();
  });

  it('restart with progress of the same call, never of another', async () => {
    const { clock, ...stage } = await setClockedStage();
    const connection = await stage.open(stage.bad({}));
    const lines: string[] = [];
    const hanging = await watch(clock, connection.callTool('wrongProgress', {}, callOptions()));
    const progress = (line: string) => void lines.push(line);
    const moving = await watch(clock, connection.callTool('progress', { times: 1 }, callOptions({ progress })));
    await clock.advance(20 * MINUTE);
    await connection.callTool('go', {}, callOptions());
    await until(() => lines.length === 1);
    expect(lines).toEqual(['1 on \\u{1b}[2J it']);
    await clock.advance(10 * MINUTE);
    expect(hanging.outcome).toBe('MCP server one: neither answer nor progress for 30 min');
    await clock.advance(19 * MINUTE);
    expect(moving.outcome).toBeUndefined();
    await clock.advance(MINUTE);
    expect(moving.outcome).toContain('neither answer nor progress');
  });

  it('pause while the user is asked', async () => {
    const { clock, ...stage } = await setClockedStage();
    let answer: (() => void) | undefined;
    const connection = await stage.open(
      { ...stage.bad({}), timeoutMs: 10_000 },
      {
        elicit: () =>
          new Promise((resolve) => {
            answer = () => resolve({ action: 'accept', content: { name: 'Ada' } });
          }),
      },
    );
    const hanging = await watch(clock, connection.callTool('hang', {}, callOptions()));
    await clock.advance(4_000);
    const asking = connection.callTool('elicit', {}, callOptions());
    await until(() => answer !== undefined);
    await clock.advance(600 * MINUTE);
    expect(hanging.outcome).toBeUndefined();
    answer?.();
    expect(textOf(await asking)).toContain('Ada');
    await clock.advance(5_999);
    expect(hanging.outcome).toBeUndefined();
    await clock.advance(1);
    expect(hanging.outcome).toContain('no answer within 10 s');
  });
});

it('MC-14: a connect takes MCP_TIMEOUT at most, and what was started is ended', async () => {
  const { clock, ...stage } = await setClockedStage({ MCP_TIMEOUT: '7000' });
  const connecting = stage.connect(stage.bad({ hangInitialize: true, stderr: 'thinking\n' }));
  await until(() => stage.running().length === 1 && clock.next === 7_000);
  await clock.advance(7_000);
  expect(await connecting).toEqual({
    ok: false,
    kind: 'failed',
    reason: 'it did not answer within 7 seconds; if it needs longer, set MCP_TIMEOUT (milliseconds)',
    stderr: 'thinking',
  });
  expect(stage.running()).toEqual([]);
});

it('MC-14: a list that never comes ends by MCP_TIMEOUT too', async () => {
  const { clock, ...stage } = await setClockedStage();
  const connection = await stage.open(stage.bad({ raw: { tools: ' ' } }));
  const listing = await watch(clock, connection.listTools());
  await clock.advance(30_000);
  expect(listing.outcome).toBe('MCP server one: no answer within 30 s (a limit that can be set by MCP_TIMEOUT)');
});

it('MC-19: timers paused twice continue when both pauses have ended', async () => {
  const clock = new ManualClock();
  const patience = new PausableTimers(clock);
  const rung: string[] = [];
  patience.after(100, () => rung.push('a'));
  patience.after(Number.POSITIVE_INFINITY, () => rung.push('never'));
  await clock.advance(60);
  const [first, second] = [patience.halt(), patience.halt()];
  const stop = patience.watch(50, () => rung.push('b'));
  const stopped = patience.after(50, () => rung.push('stopped'));
  stopped();
  await clock.advance(1_000);
  first();
  first();
  await clock.advance(1_000);
  expect(rung).toEqual([]);
  second();
  await clock.advance(40);
  expect(rung).toEqual(['a']);
  stop.sign();
  await clock.advance(49);
  expect(rung).toEqual(['a']);
  await clock.advance(1);
  expect(rung).toEqual(['a', 'b']);
  expect(clock.next).toBeUndefined();
});

/** What only a process knows of an agent: how its run stands, who waits for it, what it may spend. */

import { describe, expect, it } from 'vitest';
import { Budget } from '../../../src/loop/budget.js';
import { FORK_ORIGIN } from '../../../src/protocol/agent-spawned.js';
import { type DurableEvent, MOVED } from '../../../src/protocol/events.js';
import { NO_USAGE } from '../../../src/protocol/usage.js';
import { createState } from '../../../src/session/state/agent-state.js';
import { openFamily } from './live-family.js';

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));
const states = (events: readonly DurableEvent[]) =>
  events.map((event) => (event.kind === 'agent-state-changed' ? { ...event, kind: undefined } : event.kind));

describe('the status of a run', () => {
  it('DU-8: is on record, and folded from there; being in line is only seen', async () => {
    const { agent: main, heard, add } = await openFamily();
    const { agent, log } = add(main);
    expect([agent.status, agent.isActive]).toEqual(['queued', true]);
    await agent.changeStatus('queued');
    await agent.changeStatus('running');
    await agent.changeStatus('failed', 'x');
    expect(states(log.events)).toEqual([
      { state: 'running', run: 1 },
      { state: 'failed', run: 1, reason: 'x' },
    ]);
    expect(heard.map(({ event }) => event.kind)).toEqual([
      'agent-queued',
      'agent-state-changed',
      'agent-state-changed',
    ]);
    expect([...agent.state.runs.values()]).toEqual([{ run: 1, status: 'failed', reason: 'x' }]);
  });

  it.each(['completed', 'failed', 'stopped'] as const)(
    'DU-8: %s is final under its number; another run is another number',
    async (end) => {
      const { agent: main, add } = await openFamily();
      const { agent, log } = add(main);
      await agent.changeStatus(end);
      await agent.changeStatus('running');
      expect([agent.status, agent.isActive, log.events.length]).toEqual([end, false, 1]);
      agent.inbox.close();
      agent.beginNextRun(7);
      expect([agent.run, agent.status, agent.background, agent.inbox.isClosed]).toEqual([2, 'queued', true, false]);
      await agent.changeStatus('running');
      expect(states(log.events).at(-1)).toMatchObject({ state: 'running', run: 2 });
      await agent.output.close();
    },
  );

  it('DU-8: an end applies from the moment it is decided, before it is recorded', async () => {
    const { agent: main, add } = await openFamily();
    const { agent } = add(main);
    const saved = agent.changeStatus('completed');
    expect([agent.status, agent.detach()]).toEqual(['completed', false]);
    await saved;
  });

  it.each([
    [['model', 'budget'], 'model'],
    [['budget', 'person', 'model'], 'person'],
  ] as const)('LC-14: stopped by %s counts as stopped by %s', async (by, recorded) => {
    const { agent: main, add } = await openFamily();
    const { agent, log } = add(main);
    for (const one of by) agent.stop(one);
    expect(agent.abort.signal.aborted).toBe(true);
    await agent.changeStatus('stopped');
    expect(states(log.events)).toEqual([{ state: 'stopped', run: 1, by: recorded }]);
  });

  it('DU-8: the main agent’s is on no record', async () => {
    const { agent, log } = await openFamily();
    await agent.changeStatus('running');
    expect([agent.status, log.events]).toEqual(['running', []]);
  });
});

describe('an agent that is moved to the background', () => {
  it('LC-3: continues as the same run, detached from its call, and that is recorded', async () => {
    const { agent: main, add } = await openFamily();
    const { agent, log } = add(main);
    const call = new AbortController();
    let told = 0;
    agent.follow(call.signal);
    agent.onDetach = () => {
      told += 1;
    };
    await agent.changeStatus('running');
    expect([agent.detach(), agent.detach(), told]).toEqual([true, false, 1]);
    await tick();
    expect(states(log.events)).toEqual([
      { state: 'running', run: 1 },
      { state: 'running', run: 1, reason: MOVED },
    ]);
    call.abort();
    expect(agent.abort.signal.aborted).toBe(false);
    await agent.output.close();
  });

  it('LC-3: in line has nothing on record yet; it is there with its first state', async () => {
    const { agent: main, add } = await openFamily();
    const { agent, log } = add(main);
    expect(agent.detach()).toBe(true);
    await tick();
    expect(log.events).toEqual([]);
    await agent.changeStatus('running');
    expect(states(log.events)).toEqual([{ state: 'running', run: 1, reason: MOVED }]);
    await agent.output.close();
  });

  it('LC-3: is not the main agent, nor one that is there already or has ended', async () => {
    const { agent: main, add } = await openFamily();
    const ended = add(main).agent;
    await ended.changeStatus('completed');
    expect([main, add(main, { background: true }).agent, ended].map((one) => one.detach())).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('an agent in its tree', () => {
  it('LC-2: ends with the one who waits for it, also when that has ended already', async () => {
    const { agent: main, add } = await openFamily();
    const [one, two] = [add(main).agent, add(main).agent];
    const call = new AbortController();
    one.follow(call.signal);
    expect(one.abort.signal.aborted).toBe(false);
    call.abort();
    two.follow(call.signal);
    expect([one, two].map((agent) => agent.abort.signal.aborted)).toEqual([true, true]);
  });

  it('is below all above it, and below nobody else', async () => {
    const { agent: main, add } = await openFamily();
    const child = add(main).agent;
    const grandchild = add(child).agent;
    const other = add(main).agent;
    expect([child, grandchild, other].map((one) => one.isBelow(main))).toEqual([true, true, true]);
    expect([grandchild.isBelow(child), grandchild.isBelow(other), child.isBelow(child)]).toEqual([true, false, false]);
  });

  it('a fork is in its parent’s mode at any moment; a named child in its own', async () => {
    const { agent: main, add } = await openFamily();
    const fork = add(main, { origin: FORK_ORIGIN, type: 'fork' }).agent;
    const named = add(main, {}, { ...createState(), mode: 'acceptEdits' }).agent;
    await main.emit({ kind: 'mode-changed', mode: 'dontAsk' });
    expect([fork.mode, named.mode]).toEqual(['dontAsk', 'acceptEdits']);
    expect([fork.requester.mode, named.requester.mode]).toEqual(['dontAsk', 'acceptEdits']);
  });

  it('EX-4: while one above plans, every agent below does, however deep; then each is in its own mode again', async () => {
    const { agent: main, add } = await openFamily();
    const named = add(main, {}, { ...createState(), mode: 'bypassPermissions' }).agent;
    const below = add(named, {}, { ...createState(), mode: 'acceptEdits' }).agent;
    await main.emit({ kind: 'mode-changed', mode: 'plan' });
    expect([named.requester.mode, below.requester.mode]).toEqual(['plan', 'plan']);
    await main.emit({ kind: 'mode-changed', mode: 'default' });
    expect([named.requester.mode, below.requester.mode]).toEqual(['bypassPermissions', 'acceptEdits']);
  });

  it('LC-17: has a part of its parent’s account, less what it has spent already', async () => {
    const { agent: main, add } = await openFamily(new Budget({ maxUsd: 100 }));
    expect(add(main).agent.budget).toBe(main.budget);
    const spent = { ...createState(), usage: { ...NO_USAGE, output: 1_000_000 } };
    const { model } = main.epoch;
    const price = model.prices?.output ?? 0;
    expect(price).toBeGreaterThan(0);
    const [fresh, old] = [undefined, spent].map((state) => add(main, { maxUsd: price * 1.5 }, state).agent.budget);
    expect(fresh?.refuses(model, 0, 1_000_000)).toBeUndefined();
    expect(old?.refuses(model, 0, 1_000_000)).toBe('max_usd');
    expect(old?.refuses(model, 0, 400_000)).toBeUndefined();
  });
});

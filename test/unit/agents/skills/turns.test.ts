/** What skills change for one turn of an agent: given, taken back, ended. */

import { describe, expect, it } from 'vitest';
import { TurnOverrides } from '../../../../src/agents/skills/turn-overrides.js';
import type { TurnGrant } from '../../../../src/gate/requester.js';
import type { Epoch, Switch } from '../../../../src/loop/agent.js';

const grant = (source: string): TurnGrant => ({ source, allow: [], deny: [], folder: '/' });
const epoch = (maxTokens: number) => ({ maxTokens }) as Epoch;

/** An agent whose safe points a test decides. */
function makeAgent(start: Epoch) {
  const agent = { id: 'main', epoch: start, switches: [] as Switch[] };
  const safePoint = () => {
    for (const change of agent.switches.splice(0)) {
      if (change.kind === 'epoch') agent.epoch = change.next(agent.epoch);
    }
    return agent.epoch.maxTokens;
  };
  return { agent, safePoint };
}

describe('EX-14: rules for a turn', () => {
  it('EX-14: hold for the agent that took the skill up, until its turn ends', () => {
    const turns = new TurnOverrides();
    turns.grant('a', grant('one'));
    turns.grant('a', grant('two'));
    expect(turns.grantsOf('a').map(({ source }) => source)).toEqual(['one', 'two']);
    expect(turns.grantsOf('b')).toEqual([]);
    turns.end('a');
    expect(turns.grantsOf('a')).toEqual([]);
  });

  it('EX-14: one that is taken back, also twice, takes no other with it', () => {
    const turns = new TurnOverrides();
    const takeBack = turns.grant('a', grant('one'));
    turns.grant('a', grant('two'));
    takeBack();
    takeBack();
    expect(turns.grantsOf('a').map(({ source }) => source)).toEqual(['two']);
  });
});

describe('EX-8: the model of a turn', () => {
  it('EX-8: comes at the next safe point and goes with the turn', () => {
    const [turns, { agent, safePoint }] = [new TurnOverrides(), makeAgent(epoch(1))];
    turns.runOn(agent, () => epoch(2));
    expect(agent.epoch.maxTokens).toBe(1);
    expect(safePoint()).toBe(2);
    turns.end('main');
    expect(safePoint()).toBe(1);
    turns.end('main');
    expect(agent.switches).toEqual([]);
  });

  it('EX-8: of several skills in a turn the last applies, and the end reverts to the first', () => {
    const [turns, { agent, safePoint }] = [new TurnOverrides(), makeAgent(epoch(1))];
    turns.runOn(agent, () => epoch(2));
    expect(safePoint()).toBe(2);
    turns.runOn(agent, () => epoch(3));
    expect(safePoint()).toBe(3);
    turns.end('main');
    expect(safePoint()).toBe(1);
  });

  it('EX-8: what somebody else chose meanwhile stays', () => {
    const [turns, { agent, safePoint }] = [new TurnOverrides(), makeAgent(epoch(1))];
    turns.runOn(agent, () => epoch(2));
    safePoint();
    agent.switches.push({ kind: 'epoch', next: () => epoch(7) });
    safePoint();
    turns.end('main');
    expect(safePoint()).toBe(7);
  });

  it('EX-8: a turn that ends before its next safe point changes nothing', () => {
    const [turns, { agent, safePoint }] = [new TurnOverrides(), makeAgent(epoch(1))];
    turns.runOn(agent, () => epoch(2));
    turns.end('main');
    expect(safePoint()).toBe(1);
  });
});

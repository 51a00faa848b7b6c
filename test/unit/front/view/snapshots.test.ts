/** The cost of an agent in a snapshot, over all its models. */

import { expect, it } from 'vitest';
import { createView } from '../../../../src/front/view/session-view.js';
import { snapshots } from '../../../../src/front/view/snapshots.js';
import { type AgentEvent, MAIN_AGENT } from '../../../../src/protocol/events.js';
import { NO_USAGE, type Usage } from '../../../../src/protocol/usage.js';
import { spawned as spawnedRecord } from '../../session/spawned.js';

const OPUS = 'claude-opus-5-5';
const HAIKU = 'claude-haiku-5-5';
const MILLION: Usage = { ...NO_USAGE, input: 1_000_000 };

const switched = (model: string): AgentEvent => ({
  kind: 'epoch-started',
  reason: 'model-switch',
  prefix: 'p',
  model,
  maxTokens: 1,
});
const replied = (model: string): AgentEvent => ({
  kind: 'assistant-replied',
  response: 'r',
  model,
  stop: 'end_turn',
  usage: MILLION,
  requestBytes: 1,
  blocks: [],
});
const ended = (usage: Usage): AgentEvent => ({ kind: 'run-ended', reason: 'completed', usage });

function costAfter(...events: readonly AgentEvent[]): number | undefined {
  const view = createView();
  const began = { session: 's', cwd: '/project', version: '1', model: OPUS, mode: 'default' } as const;
  view.apply({ agent: MAIN_AGENT, seq: 1, event: { kind: 'session-started', ...began } }, 0);
  for (const event of events) view.apply({ agent: MAIN_AGENT, seq: undefined, event }, 0);
  return snapshots(view, 0, {})[0]?.costUsd;
}

const PRICE = { [OPUS]: costAfter(replied(OPUS)) ?? 0, [HAIKU]: costAfter(replied(HAIKU)) ?? 0 };

it('LC-20: usage before a switch of the model keeps its price', () => {
  expect(PRICE[OPUS]).not.toBe(PRICE[HAIKU]);
  expect(costAfter(replied(OPUS), ended(MILLION), switched(HAIKU))).toBe(PRICE[OPUS]);
  expect(costAfter(replied(OPUS), switched(HAIKU), replied(HAIKU))).toBe(PRICE[OPUS] + PRICE[HAIKU]);
});

it('LC-20: usage without a record is added once, at the end of the run', () => {
  const both = { ...NO_USAGE, input: 2_000_000 };
  expect(costAfter(replied(OPUS), ended(both), ended(both))).toBe(2 * PRICE[OPUS]);
});

it('LC-20: a part without a price leaves the cost unknown, also under a model that has one', () => {
  expect(costAfter(replied('no-price'), switched(OPUS), replied(OPUS))).toBeUndefined();
});

it.each([
  ['kept', true],
  ['in-use', true],
  ['removed', false],
  ['gone', false],
] as const)(
  'LC-20: the worktree of an agent is shown while it is there (%s), live and from its transcript',
  (outcome, isShown) => {
    const worktree = { name: 'agent-1', path: '/trees/1', branch: 'one', from: '/project' };
    const spawned = { ...spawnedRecord('a1'), worktree };
    const shown = (view: ReturnType<typeof createView>) =>
      snapshots(view, 0, {}).find(({ id }) => id === 'a1')?.worktree;
    const live = createView();
    live.apply({ agent: 'a1', seq: 1, event: spawned }, 0);
    expect(shown(live)).toMatchObject({ path: '/trees/1', branch: 'one' });
    live.apply({ agent: 'a1', seq: 2, event: { kind: 'worktree-settled', run: 1, outcome, reasons: [] } }, 0);
    expect(shown(live) !== undefined).toBe(isShown);
    const runs = [{ worktree: { outcome } }];
    const past = createView({ past: [{ agent: 'a1', spawned, status: 'completed', background: true, runs }] });
    expect(shown(past) !== undefined).toBe(isShown);
  },
);

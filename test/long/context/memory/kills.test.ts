/**
 * A kill at every effect: afterwards each folder is the old or the new one, to the byte, and both stamps, the base and the
 * backups belong to it (ME-5). By default at some effects, and of the recovery at one; with KILLS=all at each, of both.
 */

import { describe, expect, it } from 'vitest';
import { memoryDifference } from '../../../../src/context/memory/snapshots/memory-difference.js';
import { recoverMemory } from '../../../../src/context/memory/snapshots/memory-lock.js';
import {
  copyOf,
  forgetLocks,
  leftOf,
  stageFor,
  stateOf,
  withoutHalves,
} from '../../../unit/context/memory/snapshots/act-stage.js';
import { ACTS, type Act, act } from '../../../unit/context/memory/snapshots/acts.js';
import { stoppingHost } from '../../../unit/context/memory/snapshots/stopping-host.js';

const IS_ALL = process.env.KILLS === 'all';
const LIMIT_MS = IS_ALL ? 900_000 : 60_000;

describe('ME-5: kill -9 at every effect', () => {
  it.each(ACTS)(
    'ME-5 %s: the old or the new state, whole, and the same again succeeds',
    async (what) => {
      const { template, before, after, effects } = await rehearse(what);
      expect(effects.length).toBeGreaterThan(3);
      for (let at = 1; at <= effects.length; at += 1) {
        if (!isChosen(effects, at)) continue;
        const about = `${what}, killed at ${at}: ${effects[at - 1]}`;
        const seconds = IS_ALL ? Array.from({ length: 25 }, (_, index) => index) : [at % 2 === 0 ? 0 : 1 + (at % 11)];
        for (const second of seconds) {
          const stage = await copyOf(template);
          await act(stoppingHost(stage.host, { at, how: 'stop' }).host, stage.place, what);
          forgetLocks(stage);
          if (second > 0) {
            await recoverMemory(stoppingHost(stage.host, { at: second, how: 'stop' }).host, stage.place);
            forgetLocks(stage);
          }
          await recoverMemory(stage.host, stage.place);
          const state = withoutHalves(stateOf(stage));
          const isNew = JSON.stringify(state) === JSON.stringify(after);
          if (!isNew) expect(state, `${about}, then ${second}`).toEqual(before);
          if (!(what.startsWith('rollBack') && isNew))
            expect(await act(stage.host, stage.place, what), about).toMatchObject({ ok: true });
          expect(withoutHalves(stateOf(stage)), about).toEqual(after);
          await memoryDifference(stage.host, stage.place);
          expect(leftOf(stage), about).toEqual([]);
        }
      }
    },
    LIMIT_MS,
  );
});

describe('ME-5: a full disk', () => {
  it.each(ACTS)(
    'ME-5 %s: a reason and the old state, or a success and the new one',
    async (what) => {
      const { template, before, after, effects } = await rehearse(what);
      for (let at = 1; at <= effects.length; at += 1) {
        if (!isChosen(effects, at)) continue;
        for (const how of IS_ALL ? (['full', 'fail'] as const) : ([at % 2 === 0 ? 'full' : 'fail'] as const)) {
          const about = `${what}, ${how} at ${at}: ${effects[at - 1]}`;
          const stage = await copyOf(template);
          const done = await act(stoppingHost(stage.host, { at, how }).host, stage.place, what);
          forgetLocks(stage);
          if (!done.ok) {
            expect(done.reason, about).toMatch(/the disk is full|ENOSPC/);
            expect(stateOf(stage), about).toEqual(before);
            if (how === 'full')
              expect(
                leftOf(stage).filter((path) => path.startsWith('next')),
                about,
              ).toEqual([]);
          }
          await recoverMemory(stage.host, stage.place);
          expect(stateOf(stage), about).toEqual(done.ok ? after : before);
          if (!(what.startsWith('rollBack') && done.ok))
            expect(await act(stage.host, stage.place, what), about).toMatchObject({ ok: true });
          expect(stateOf(stage), about).toEqual(after);
          await memoryDifference(stage.host, stage.place);
          expect(leftOf(stage), about).toEqual([]);
        }
      }
    },
    LIMIT_MS,
  );
});

/** By default where something takes its place, and some of the others. */
function isChosen(effects: readonly string[], at: number): boolean {
  return IS_ALL || /^held move/.test(effects[at - 1] ?? '') || at % 8 === 0;
}

async function rehearse(what: Act) {
  const template = await stageFor(what);
  const stage = await copyOf(template);
  const { host, effects } = stoppingHost(stage.host, { at: 0, how: 'stop' });
  const before = stateOf(stage);
  expect(await act(host, stage.place, what)).toMatchObject({ ok: true });
  const after = stateOf(stage);
  expect(after).not.toEqual(before);
  expect(leftOf(stage)).toEqual([]);
  return { template, before, after, effects };
}

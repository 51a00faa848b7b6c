/** Brings a worktree into a state, does to it what ends, resumes, sweeps and removes one, and checks that nothing is lost. */

import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { removeWorktree } from '../../../../../src/host/worktrees/remove-worktree.js';
import { sweepWorktrees } from '../../../../../src/host/worktrees/sweep-worktrees.js';
import { WorktreeLeases } from '../../../../../src/host/worktrees/worktree-leases.js';
import { recordsFolder, type WorktreeRecord } from '../../../../../src/host/worktrees/worktree-record.js';
import { type WorktreeStage, workIn, worktreeStage } from '../../../../support/worktree-stage.js';

export type Outcomes = {
  readonly end: 'kept' | 'removed' | 'gone';
  readonly resume: 'goes on' | 'gone' | 'refused';
  readonly sweep: 'kept' | 'removed' | 'stays';
  readonly remove: 'kept' | 'removed' | 'gone';
  readonly discard: 'kept' | 'removed' | 'gone';
};

export type State = {
  readonly name: string;
  /** In the worktree, after it was made and before its run ends. */
  readonly make: (at: At) => Promise<unknown>;
  /** Before it is made. */
  readonly before?: (stage: WorktreeStage) => Promise<unknown>;
  readonly outcomes: Outcomes;
  /** The report to the user at the end of the run. */
  readonly says?: RegExp;
  /** Its branch is left when it was removed: someone else works on it. */
  readonly leavesBranch?: boolean;
  readonly trusted?: boolean;
};

export type At = {
  readonly stage: WorktreeStage;
  readonly path: string;
  readonly record: WorktreeRecord;
  /** Returns its current folder. */
  readonly moveTo: (path: string) => void;
};

/** In this order, on one worktree for as long as it is kept. */
const ACTIONS = ['end', 'resume', 'sweep', 'remove', 'discard'] as const;

const LONG_AGO = new Date('2020-01-01');

export async function actOnState(state: State): Promise<void> {
  const stage = await worktreeStage(state.trusted ?? false);
  await state.before?.(stage);
  let current: Current | undefined;
  for (const [index, action] of ACTIONS.entries()) {
    current ??= await bring(stage, state, `agent-0000000${index}`, action !== 'end');
    const { record, leases, path, work, own }: Current = current;
    const about = `${state.name}, ${action}`;
    const { outcome, reasons } = await ACT[action](stage, record, leases);
    expect(outcome, `${about}: ${reasons.join('; ')}`).toBe(state.outcomes[action]);
    expect(await stage.ownState(), `${about}: what is the person's`).toEqual(own);
    if (outcome === 'removed' || (action === 'discard' && outcome === 'gone')) {
      expect(await stage.leftOf(record), about).toEqual(state.leavesBranch ? [`branch ${record.branch}`] : []);
      current = undefined;
    } else if (outcome === 'gone' && action !== 'resume') current = undefined;
    else expect(await workIn(stage, record, path), `${about}: what is in it`).toEqual(work);
    expect(await ownLocks(stage, record), `${about}: locks of ours`).toEqual([]);
    if (action === 'end' && state.says !== undefined) expect(reasons.join('; '), about).toMatch(state.says);
  }
  expect(await stage.git(['fsck', '--connectivity-only', '--no-dangling']).catch(String)).toBe('');
}

async function ownLocks({ checkout }: WorktreeStage, { name, gitDir = '' }: WorktreeRecord): Promise<string[]> {
  const reason = await readFile(join(gitDir, 'locked'), 'utf8').catch(() => '');
  const files = (await readdir(recordsFolder(checkout.commonDir))).filter((file) => file.startsWith(`${name}.lock`));
  return reason.startsWith('coppice: ') ? [...files, reason] : files;
}

type Current = {
  readonly record: WorktreeRecord;
  readonly leases: WorktreeLeases;
  readonly path: string;
  /** Its content and the user's files: neither may change, except by removing the first. */
  readonly work: readonly string[];
  readonly own: readonly string[];
};

async function bring(stage: WorktreeStage, state: State, name: string, isLetGo: boolean): Promise<Current> {
  const made = await stage.make(name);
  const leases = new WorktreeLeases(stage.host);
  leases.adopt(stage.checkout, made, 'agent-1');
  let { path } = made.record;
  const moveTo = (now: string) => {
    path = now;
  };
  await state.make({ stage, path, record: made.record, moveTo });
  if (isLetGo) await leases.release(stage.checkout.commonDir, name, 'agent-1', 'keep');
  const [work, own] = await Promise.all([workIn(stage, made.record, path), stage.ownState()]);
  return { record: made.record, leases, path, work, own };
}

type Act = (
  stage: WorktreeStage,
  record: WorktreeRecord,
  leases: WorktreeLeases,
) => Promise<{ readonly outcome: string; readonly reasons: readonly string[] }>;

const ACT: Record<(typeof ACTIONS)[number], Act> = {
  end: ({ checkout }, { name }, leases) => leases.release(checkout.commonDir, name, 'agent-1', 'settle'),
  resume: async ({ host, checkout }, { name }) => {
    const leases = new WorktreeLeases(host);
    const reopened = await leases.reopen(checkout, name, 'agent-1');
    if (!reopened.ok) return { outcome: reopened.gone ? 'gone' : 'refused', reasons: [reopened.reason] };
    await leases.release(checkout.commonDir, name, 'agent-1', 'keep');
    return { outcome: 'goes on', reasons: [] };
  },
  sweep: async (stage, { name }) => {
    const { host, checkout } = stage;
    const young = await sweepWorktrees(host, checkout, { days: 30 });
    const file = join(recordsFolder(checkout.commonDir), `${name}.json`);
    await utimes(file, LONG_AGO, LONG_AGO).catch(() => {});
    const { removed, left } = await sweepWorktrees(host, checkout, { days: 30 });
    if (young.removed.length > 0) return { outcome: 'removed too early', reasons: [] };
    const kept = left.find((one) => one.name === name);
    return { outcome: removed.includes(name) ? 'removed' : kept ? 'kept' : 'stays', reasons: kept?.reasons ?? [] };
  },
  remove: async ({ host, checkout }, { name }) => told(await removeWorktree(host, checkout, name)),
  discard: async ({ host, checkout }, { name }) => told(await removeWorktree(host, checkout, name, { discard: true })),
};

function told(removal: Awaited<ReturnType<typeof removeWorktree>>) {
  return { outcome: removal.kind, reasons: removal.kind === 'kept' ? removal.reasons : [] };
}

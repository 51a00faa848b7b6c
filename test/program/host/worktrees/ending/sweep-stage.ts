/** What the tests of sweep.test.ts share with those of test:long. */

import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepWorktrees } from '../../../../../src/host/worktrees/sweep-worktrees.js';
import { recordsFolder, type WorktreeRecord } from '../../../../../src/host/worktrees/worktree-record.js';
import type { WorktreeStage } from '../../../../support/worktree-stage.js';

export const NAME = 'agent-12345678';

export const DAY_MS = 86_400_000;

export async function letGo(stage: WorktreeStage, name = NAME): Promise<WorktreeRecord> {
  const { record, use } = await stage.make(name);
  await use.release();
  return record;
}

export async function age(stage: WorktreeStage, days: number, name = NAME): Promise<void> {
  const then = new Date(Date.now() - days * DAY_MS);
  await utimes(join(recordsFolder(stage.checkout.commonDir), `${name}.json`), then, then);
}

export const sweep = (stage: WorktreeStage, days = 30) => sweepWorktrees(stage.host, stage.checkout, { days });

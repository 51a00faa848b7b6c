import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorktreeLeases } from '../../../../../src/host/worktrees/worktree-leases.js';
import { useLock } from '../../../../../src/host/worktrees/worktree-record.js';
import type { WorktreeStage } from '../../../../support/worktree-stage.js';

export const NAME = 'agent-12345678';

export async function adopted(stage: WorktreeStage, holder = 'parent', leases = new WorktreeLeases(stage.host)) {
  const made = await stage.make(NAME);
  leases.adopt(stage.checkout, made, holder);
  const { commonDir } = stage.checkout;
  return {
    leases,
    record: made.record,
    join: (who: string) => leases.join(commonDir, NAME, who),
    letGo: (who: string, how: 'settle' | 'keep' = 'settle') => leases.release(commonDir, NAME, who, how),
    locked: () => readFile(join(commonDir, 'worktrees', NAME, 'locked'), 'utf8').catch(() => undefined),
    inUse: () => readFile(useLock(commonDir, NAME), 'utf8').catch(() => undefined),
  };
}

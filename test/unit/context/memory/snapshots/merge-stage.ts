import { takeMemory } from '../../../../../src/context/memory/snapshots/take-memory.js';
import { type MemoryStage, memoryStage, replaceAll, snapshotJson, type Tree } from './memory-stage.js';

export const T1 = '2026-11-01T10:00:00.000Z';

export const T2 = '2026-11-02T10:00:00.000Z';

/** Both have `base`; then each goes on by itself. */
export async function diverged(base: Tree, mine: Tree, team: Tree): Promise<MemoryStage> {
  const stage = await memoryStage(undefined, { ...base, 'snapshot.json': snapshotJson(T1) });
  await takeMemory(stage.host, stage.place);
  replaceAll(stage.mine, mine);
  replaceAll(stage.team, { ...team, 'snapshot.json': snapshotJson(T2) });
  return stage;
}

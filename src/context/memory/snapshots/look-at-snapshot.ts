/** What becomes of a snapshot, found out by two time stamps and the names in the local folder: no contents (ME-5). */

import type { Host } from '../../../host/host.js';
import type { MemoryPlace } from '../find-memory.js';
import type { SnapshotJudgement } from './judge-snapshot.js';

export type SeenSnapshot = SnapshotJudgement & { readonly updatedAt?: string };

export async function lookAtSnapshot(_host: Host, _place: MemoryPlace): Promise<SeenSnapshot> {
  return { state: 'none', why: 'there is no snapshot' };
}

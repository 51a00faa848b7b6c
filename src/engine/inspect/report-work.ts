/** The work of agents: the final reply of each, and the files it changed outside its own worktree. */

import { MAIN_AGENT } from '../../protocol/events.js';
import { BACKUP_KINDS, backupIn } from '../../session/files/recorded-backup.js';
import { readTranscript } from '../../session/transcript/read-transcript.js';
import type { ReportedWork } from '../commands/command-results.js';
import type { Engine } from '../engine.js';

export async function reportWork({ runtime }: Engine, ids: readonly string[]): Promise<ReportedWork> {
  const { agents, ended } = runtime;
  const unknown = ids.filter((id) => id === MAIN_AGENT || !(agents.has(id) || ended.has(id)));
  if (unknown.length > 0) return { ok: false, reason: `no agent ${unknown.join(', ')} in this session` };
  const changed = await filesByAgent(runtime);
  return {
    ok: true,
    work: ids.map((id) => {
      const past = ended.get(id);
      const live = agents.get(id);
      const { worktree } = (live?.record ?? past?.spawned) || {};
      const result = (live?.result ?? past?.outcome)?.content ?? past?.result?.text;
      return {
        agent: id,
        ...(result === undefined ? {} : { result }),
        files: [...(changed.get(id) ?? [])],
        ...(worktree === undefined ? {} : { worktree: worktree.name }),
      };
    }),
  };
}

/** The main agent's transcript records all files changed by tools, of every agent. */
async function filesByAgent({ host, layout }: Engine['runtime']): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const files = new Map<string, Set<string>>();
  for await (const item of readTranscript(host.files, layout.file, { kinds: BACKUP_KINDS })) {
    if (item.kind !== 'record' || !('event' in item.record)) continue;
    const backup = backupIn(item.record.event);
    if (backup === undefined) continue;
    const known = files.get(backup.agent) ?? new Set();
    for (const path of backup.paths) known.add(path);
    files.set(backup.agent, known);
  }
  return files;
}

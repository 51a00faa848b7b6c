/** The prompts you can rewind to: when each was sent, and what has happened since (TU-24). */

import { BACKUP_KINDS, backupIn } from '../../session/files/recorded-backup.js';
import { readTranscript } from '../../session/transcript/read-transcript.js';
import type { ReportedPrompts } from '../commands/command-results.js';
import type { Engine } from '../engine.js';

export async function reportPrompts(engine: Engine): Promise<ReportedPrompts> {
  const { runtime } = engine;
  const prompts = engine.prompts();
  const { times, backups } = await readMain(runtime);
  const started = await startTimes(runtime);
  return {
    ok: true,
    now: runtime.host.clock.now(),
    prompts: prompts.map(({ seq, words }) => {
      const at = times.get(seq);
      const files = new Set(backups.filter((one) => one.seq > seq).map(({ path }) => path));
      return {
        words,
        ...(at === undefined ? {} : { at }),
        files: [...files],
        agents: started.filter((one) => at !== undefined && one.at >= at).map(({ agent }) => agent),
      };
    }),
  };
}

const KINDS: ReadonlySet<string> = new Set(['input-admitted', ...BACKUP_KINDS]);

async function readMain({ host, layout }: Engine['runtime']) {
  const times = new Map<number, number>();
  const backups: { readonly seq: number; readonly path: string }[] = [];
  for await (const item of readTranscript(host.files, layout.file, { kinds: KINDS })) {
    if (item.kind !== 'record' || !('event' in item.record)) continue;
    const { seq, ts, event } = item.record;
    if (event.kind === 'input-admitted') times.set(seq, Date.parse(ts));
    for (const path of backupIn(event)?.paths ?? []) backups.push({ seq, path });
  }
  return { times, backups };
}

/** Of the children of all agents, from the first record of each. */
async function startTimes({ host, layout, agents, ended }: Engine['runtime']) {
  const ids = new Set([...ended.keys(), ...[...agents.values()].flatMap((one) => (one.isMain ? [] : [one.id]))]);
  const started: { readonly agent: string; readonly at: number }[] = [];
  for (const agent of ids) {
    for await (const item of readTranscript(host.files, layout.agentFile(agent), { kinds: SPAWNED })) {
      if (item.kind === 'record') started.push({ agent, at: Date.parse(item.record.ts) });
      break;
    }
  }
  return started;
}

const SPAWNED: ReadonlySet<string> = new Set(['agent-spawned']);

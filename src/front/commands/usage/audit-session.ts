/** Reads the records of a session's agents for the audit of its caching (FK-13). */

import type { SessionLayout } from '../../../config/paths.js';
import type { Host } from '../../../host/host.js';
import type { ModelOverrides } from '../../../model/models.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { plural } from '../../../protocol/format-numbers.js';
import { readAgentLogs } from '../../../session/state/agent-log.js';
import { readTranscript } from '../../../session/transcript/read-transcript.js';
import { type CacheAudit, CacheAuditor } from '../../view/cache-audit.js';

const KINDS = new Set([
  'agent-spawned',
  'epoch-started',
  'assistant-replied',
  'response-discarded',
  'history-compacted',
  'notice-queued',
  'input-admitted',
]);

export async function auditSession(
  host: Host,
  layout: SessionLayout,
  models: ModelOverrides,
): Promise<{ audit: CacheAudit; problems: readonly string[] }> {
  const auditor = new CacheAuditor(models);
  const { agents, setAside } = await readAgentLogs(host.files, layout);
  const problems = setAside.map(({ path, reason }) => `${path} was skipped: ${reason}`);
  const transcripts = [[MAIN_AGENT, layout.file], ...agents.map(({ agent, path }) => [agent, path])] as const;
  for (const [agent = '', path = ''] of transcripts) {
    let damaged = 0;
    for await (const item of readTranscript(host.files, path, { kinds: KINDS })) {
      if (item.kind === 'record' && 'event' in item.record) auditor.add(agent, item.record.event);
      if (item.kind === 'damaged') damaged += 1;
      if (item.kind === 'unreadable') problems.push(`${path} can't be read: ${item.reason}`);
      if (item.kind === 'missing') problems.push(`${path} no longer exists`);
    }
    if (damaged > 0) problems.push(`${path}: ${plural(damaged, 'damaged line was', 'damaged lines were')} skipped`);
  }
  return { audit: auditor.finish(), problems };
}

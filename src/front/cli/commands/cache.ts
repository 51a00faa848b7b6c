/** `coppice cache <session>`: what each request shared and read from the cache, and what that saved. */

import { findRepoRoot } from '../../../config/find-repo-root.js';
import { coppiceHome, type SessionLayout, sessionLayout } from '../../../config/paths.js';
import { readSettings } from '../../../config/settings/read-settings.js';
import { openTrust } from '../../../config/trust.js';
import { modelOverrides } from '../../../engine/open/read-config.js';
import type { Host } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import type { ModelOverrides } from '../../../model/models.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { makeVisible } from '../../../protocol/make-visible.js';
import { readAgentLogs } from '../../../session/state/agent-log.js';
import { readTranscript } from '../../../session/transcript/read-transcript.js';
import { type AuditRow, type CacheAudit, CacheAuditor, readShare } from '../../view/cache-audit.js';
import { EXIT } from '../exit-code.js';
import { findSession } from '../find-session.js';

export async function runCache(wanted: string, flags: { readonly json?: boolean }): Promise<number> {
  const machine = nodeHost(process.cwd());
  const host = machine.at(await machine.files.realpath(machine.folder));
  const found = await findSession(host, wanted);
  if (typeof found === 'string') {
    process.stderr.write(`error: ${found}\n`);
    return EXIT.usage;
  }
  const layout = sessionLayout(coppiceHome(host.env), found.project, found.id);
  const { audit, problems } = await auditSession(host, layout, await readModels(host));
  for (const line of problems) process.stderr.write(`${makeVisible(line)}\n`);
  const text = flags.json ? JSON.stringify({ session: found.id, ...audit }, null, 2) : formatAudit(found.id, audit);
  process.stdout.write(`${text}\n`);
  return EXIT.done;
}

/** Settings may override prices. */
async function readModels(host: Host): Promise<ModelOverrides> {
  const projectRoot = (await findRepoRoot(host, host.folder)) ?? host.folder;
  const trusted = await openTrust(host).isTrusted(host.folder);
  const { settings } = await readSettings({ host, cwd: host.folder, projectRoot, env: host.env, trusted });
  return modelOverrides(settings.models);
}

const KINDS = new Set([
  'agent-spawned',
  'epoch-started',
  'assistant-replied',
  'response-discarded',
  'history-compacted',
  'notice-queued',
  'input-admitted',
]);

async function auditSession(
  host: Host,
  layout: SessionLayout,
  models: ModelOverrides,
): Promise<{ audit: CacheAudit; problems: readonly string[] }> {
  const auditor = new CacheAuditor(models);
  const { agents, setAside } = await readAgentLogs(host.files, layout);
  const problems = setAside.map(({ path, reason }) => `${path} is left out: ${reason}`);
  const transcripts = [[MAIN_AGENT, layout.file], ...agents.map(({ agent, path }) => [agent, path])] as const;
  for (const [agent = '', path = ''] of transcripts) {
    let damaged = 0;
    for await (const item of readTranscript(host.files, path, { kinds: KINDS })) {
      if (item.kind === 'record' && 'event' in item.record) auditor.add(agent, item.record.event);
      if (item.kind === 'damaged') damaged += 1;
      if (item.kind === 'unreadable') problems.push(`${path} can't be read: ${item.reason}`);
      if (item.kind === 'missing') problems.push(`${path} no longer exists`);
    }
    if (damaged > 0)
      problems.push(`${path}: ${damaged === 1 ? '1 damaged line was' : `${damaged} damaged lines were`} skipped`);
  }
  return { audit: auditor.finish(), problems };
}

function formatAudit(session: string, { rows, epochs, forks, total }: CacheAudit): string {
  const head = ['agent', '#', 'KB', 'shared', 'read', 'written', 'uncached', 'output', 'USD', ''];
  const table = [head, ...rows.map(formatRow)];
  const widths = head.map((_, column) => Math.max(...table.map((line) => (line[column] ?? '').length)));
  const lines = table.map((line) =>
    line
      .map((cell, column) =>
        column === 0 || column === 9 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  const share = readShare(rows);
  return [
    `session ${session}`,
    '',
    ...lines,
    '',
    'epochs (what could not be read from the cache when each began):',
    ...epochs.map(
      ({ agent, reason, paidTokens, usd, request }) =>
        `  ${agent}: ${reason}${request === undefined ? ', no request' : ` at request ${request}: ${paidTokens} tokens, ${money(usd)}`}`,
    ),
    '',
    `all: ${total.requests} requests, ${money(total.usd)} (${money(total.usdUncached)} without any cache)${share === undefined ? '' : `, ${percent(100 * share)} of input tokens read from the cache`}`,
    ...(forks.count === 0
      ? []
      : [
          `forks: ${forks.count}, ${money(forks.usd)}; without their parent's cache ${money(forks.usdWithoutSharing)}: ${money(forks.usdSaved)} saved`,
          ...(forks.ofBytes === 0
            ? []
            : [
                `  their first requests repeat ${percent((100 * forks.sharedBytes) / forks.ofBytes)} of their parents' bytes`,
              ]),
        ]),
  ].join('\n');
}

function formatRow(row: AuditRow): string[] {
  const { shared } = row;
  const notes = [
    row.purpose === 'turn' ? '' : row.purpose,
    row.epoch === undefined || row.forkStart ? '' : row.epoch,
    row.forkStart && shared ? `fork of ${shared.with}` : '',
    row.siblings === undefined ? '' : `siblings: ${row.siblings}`,
    shared?.difference === undefined ? '' : `differs: ${makeVisible(shared.difference)}`,
  ];
  return [
    row.agent === MAIN_AGENT ? row.agent : `${row.type} ${row.agent.slice(0, 8)}`,
    String(row.request),
    row.bytes === undefined ? '–' : (row.bytes / 1024).toFixed(1),
    shared === undefined ? '–' : percent(shared.percent),
    String(row.cacheRead),
    String(row.cacheWritten),
    String(row.uncached),
    String(row.output),
    row.usd === undefined ? '–' : row.usd.toFixed(4),
    notes.filter(Boolean).join('; '),
  ];
}

function percent(value: number): string {
  // Round down, so that less than everything never shows as 100 %.
  return `${(Math.floor(value * 10) / 10).toFixed(value === 100 ? 0 : 1)} %`;
}

function money(usd: number | undefined): string {
  return usd === undefined ? 'no price' : `$${usd.toFixed(4)}`;
}

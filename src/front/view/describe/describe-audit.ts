/** The cache audit of a session as lines: a row per request, the epochs, savings of the forks. */

import { escapeControls } from '../../../protocol/escape-controls.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { exactMoney, percent, plural, priceText, wholeCount } from '../../../protocol/format-numbers.js';
import { type AuditRow, type CacheAudit, readShare } from '../cache-audit.js';

export function describeAudit(session: string, { rows, epochs, forks, total }: CacheAudit): string {
  const head = ['agent', '#', 'KB', 'shared', 'read', 'written', 'uncached', 'output', 'cost', ''];
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
    'epochs (tokens not read from the cache at the start of each):',
    ...epochs.map(
      ({ agent, reason, paidTokens, usd, request }) =>
        `  ${agent}: ${reason}${request === undefined ? ', no request' : ` at request ${request}: ${plural(paidTokens, 'token')}, ${priceText(usd)}`}`,
    ),
    '',
    `total: ${plural(total.requests, 'request')}, ${priceText(total.usd)} (${priceText(total.usdUncached)} without any cache)${share === undefined ? '' : `, ${percent(share, 1)} of input tokens read from the cache`}`,
    ...(forks.count === 0
      ? []
      : [
          `forks: ${forks.count}, ${priceText(forks.usd)}; without their parent's cache ${priceText(forks.usdWithoutSharing)}: ${priceText(forks.usdSaved)} saved`,
          ...(forks.ofBytes === 0
            ? []
            : [
                `  their first requests repeat ${percent(forks.sharedBytes / forks.ofBytes, 1)} of their parents' bytes`,
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
    shared?.difference === undefined ? '' : `differs: ${escapeControls(shared.difference)}`,
  ];
  return [
    row.agent === MAIN_AGENT ? row.agent : `${row.type} ${row.agent.slice(0, 8)}`,
    String(row.request),
    row.bytes === undefined ? '–' : (row.bytes / 1024).toFixed(1),
    shared === undefined ? '–' : percent(shared.percent / 100, 1),
    wholeCount(row.cacheRead),
    wholeCount(row.cacheWritten),
    wholeCount(row.uncached),
    wholeCount(row.output),
    row.usd === undefined ? '–' : exactMoney(row.usd),
    notes.filter(Boolean).join('; '),
  ];
}

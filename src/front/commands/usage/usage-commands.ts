/** `/cost`: the cost of the session so far, by agent and by model. `/cache`: the audit of its caching (FK-13), as in `coppice cache`. */

import { basename, dirname } from 'node:path';
import { coppiceHome, sessionLayout } from '../../../config/paths.js';
import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import { nodeHost } from '../../../host/node-host.js';
import { costOf, modelData } from '../../../model/models.js';
import { priceText } from '../../../protocol/format-numbers.js';
import { inputTokens, type Usage } from '../../../protocol/usage.js';
import { describeAudit } from '../../view/describe/describe-audit.js';
import { describeCost, describeTokens } from '../../view/describe/describe-cost.js';
import type { CommandContext } from '../command-context.js';
import { auditSession } from './audit-session.js';

/** How many of the most expensive agents are listed. */
const MAX_SHOWN = 40;

export function showCost({ session, view, say }: Pick<CommandContext, 'session' | 'view' | 'say'>): void {
  const { models } = session;
  say(describeCost(view.totals, models));
  const usd = (model: string, usage: Usage) => costOf(usage, modelData(model, models));
  const byModel = [...view.totals.usageByModel].map(([model, usage]) => row(model, usage, usd(model, usage)));
  if (byModel.length > 0) table(say, 'by model:', byModel);
  const agents = session.snapshot().filter(({ tokensIn, tokensOut }) => tokensIn + tokensOut > 0);
  if (agents.length < 2) return;
  const dearest = [...agents].sort((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0)).slice(0, MAX_SHOWN);
  const rows = dearest.map(({ id, name, type, model, tokensIn, tokensOut, cacheShare, costUsd, isWhole }) => {
    const who = name ?? (type === id ? type : `${type} ${id.slice(0, 8)}`);
    return [
      stripToLine(who),
      priceText(costUsd),
      describeTokens(tokensIn, tokensOut, cacheShare),
      `${stripToLine(model)}${isWhole ? '' : ', since the resume'}`,
    ];
  });
  table(say, 'by agent:', rows);
  if (dearest.length < agents.length) say(`  … ${agents.length - dearest.length} more cost less`);
}

function row(model: string, usage: Usage, usd: number | undefined): readonly string[] {
  const input = inputTokens(usage);
  const share = input === 0 ? undefined : usage.cacheRead / input;
  return [stripToLine(model), priceText(usd), describeTokens(input, usage.output, share)];
}

function table(say: (line: string) => void, head: string, rows: readonly (readonly string[])[]): void {
  say(head);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((cells) => (cells[column] ?? '').length)));
  for (const cells of rows) {
    say(`  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
  }
}

export async function showCache({ session, say }: Pick<CommandContext, 'session' | 'say'>): Promise<void> {
  if (!session.isSaved) return say('No requests yet.');
  const host = nodeHost(session.cwd);
  const layout = layoutOf(coppiceHome(host.env), session);
  if (layout.file !== session.transcript) return say('This session is not saved, so there is nothing to audit.');
  const { audit, problems } = await auditSession(host, layout, session.models);
  for (const line of problems) say(stripControls(line));
  say(stripControls(describeAudit(session.id, audit)));
}

/** Takes the project from the folder of the transcript. */
function layoutOf(home: string, { id, transcript }: CommandContext['session']) {
  return sessionLayout(home, basename(dirname(transcript)), id);
}

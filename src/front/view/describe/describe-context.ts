/** Describes how the context window is used. */

import { type ContextReport, sumTokens } from '../../../engine/inspect/reports.js';
import { percent, wholeCount } from '../../../protocol/format-numbers.js';

export function describeContext(context: ContextReport): readonly string[] {
  const { model, window, used, counted, compactsAt, tools, messages } = context;
  const declared = tools.filter(({ isDeclared }) => isDeclared);
  const rows: readonly (readonly [string, number, string?])[] = [
    ['system prompt', context.system],
    ['tools', sumTokens(declared.filter(({ server }) => server === undefined))],
    ['MCP tools', sumTokens(declared.filter(({ server }) => server !== undefined)), waiting(context)],
    ['agent list', sumTokens(context.agents)],
    ['skill list', sumTokens(context.skills)],
    ['instructions', sumTokens(context.instructions), context.instructions.map(({ path }) => path).join(', ')],
    ['conversation', messages.total],
  ];
  const shown = rows.filter(([, tokens, note = '']) => tokens > 0 || note !== '');
  const name = Math.max(...shown.map(([label]) => label.length));
  const width = Math.max(...shown.map(([, tokens]) => wholeCount(tokens).length));
  const estimate =
    counted === 0 ? ', all estimated' : used > counted ? `, ${wholeCount(used - counted)} of them estimated` : '';
  return [
    `${wholeCount(used)} of ${wholeCount(window)} tokens (${percent(used / window)}) of ${model}${estimate}`,
    ...shown.map(([label, tokens, note = '']) =>
      `  ${label.padEnd(name)}  ${wholeCount(tokens).padStart(width)}  ${note}`.trimEnd(),
    ),
    `  Auto-compact at ${wholeCount(compactsAt)} tokens (/compact: now)`,
  ];
}

function waiting({ tools }: ContextReport): string {
  const others = tools.filter(({ isDeclared }) => !isDeclared);
  return others.length === 0 ? '' : `${others.length} more via search`;
}

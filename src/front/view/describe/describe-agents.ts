/** Describes agents as lines, from one snapshot: everything known about each (LC-20). */

import { stripToLine } from '../../../gate/permissions/strip-controls.js';
import { duration, money, plural } from '../../../protocol/format-numbers.js';
import type { AgentSnapshot } from '../snapshots.js';
import { describeTokens } from './describe-cost.js';

/** The first line names it, the second has its numbers, a third its open question. */
export function describeAgent(agent: AgentSnapshot): readonly string[] {
  const { id, status, type, name, description, question } = agent;
  const who = name === undefined ? type : `${name} (${type})`;
  return [
    `  ${stripToLine(id)}  ${status}  ${stripToLine(who)}: ${stripToLine(description)}`,
    `    ${[...whatItDoes(agent), ...figures(agent)].join(' · ')}`,
    ...(question === undefined ? [] : [`    asking for permission: ${stripToLine(question.line)}`]),
  ];
}

function whatItDoes({ doing, toolMs, status }: AgentSnapshot): readonly string[] {
  if (doing === undefined || (status !== 'running' && status !== 'waiting')) return [];
  return [`${stripToLine(doing)}${toolMs === undefined ? '' : ` (${duration(toolMs)})`}`];
}

/** Status, tool and question are shown elsewhere. */
export function figures(agent: AgentSnapshot): readonly string[] {
  const { elapsedMs, turns, tokensIn, tokensOut, cacheShare, costUsd, depth, worktree, isWhole } = agent;
  const counted = [
    duration(elapsedMs),
    plural(turns, 'turn'),
    describeTokens(tokensIn, tokensOut, cacheShare),
    costUsd === undefined ? 'cost unknown' : money(costUsd),
  ];
  const known = isWhole ? counted : turns === 0 ? ['ran in an earlier session'] : [...counted, 'since the resume'];
  return [...known, `depth ${depth}`, ...(worktree === undefined ? [] : [describeWorktree(worktree)])];
}

function describeWorktree({ path, branch }: { readonly path: string; readonly branch: string }): string {
  return `worktree ${stripToLine(path)}${branch === '' ? '' : ` (${stripToLine(branch)})`}`;
}

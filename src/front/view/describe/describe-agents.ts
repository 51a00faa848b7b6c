/** Describes agents as lines, from one snapshot: all that is known of each (LC-20). */

import { stripToLine } from '../../../gate/permissions/strip-controls.js';
import type { AgentSnapshot } from '../snapshots.js';

/** The first line names it, the second has its figures; a third the question it waits on. */
export function describeAgent(agent: AgentSnapshot): readonly string[] {
  const { id, status, type, name, description, question } = agent;
  const who = name === undefined ? type : `${name} (${type})`;
  return [
    `  ${stripToLine(id)}  ${status}  ${stripToLine(who)}: ${stripToLine(description)}`,
    `    ${[...whatItDoes(agent), ...figures(agent)].join(' · ')}`,
    ...(question === undefined ? [] : [`    asks for permission: ${stripToLine(question.line)}`]),
  ];
}

function whatItDoes({ doing, toolMs, status }: AgentSnapshot): readonly string[] {
  if (doing === undefined || (status !== 'running' && status !== 'waiting')) return [];
  return [`${stripToLine(doing)}${toolMs === undefined ? '' : ` (${duration(toolMs)})`}`];
}

/** Status, tool and question are said elsewhere. */
export function figures(agent: AgentSnapshot): readonly string[] {
  const { elapsedMs, turns, tokensIn, tokensOut, cacheShare, costUsd, depth, worktree, isWhole } = agent;
  const cached = cacheShare === undefined ? '' : ` (${Math.round(cacheShare * 100)} % from cache)`;
  const counted = [
    duration(elapsedMs),
    `${turns} ${turns === 1 ? 'turn' : 'turns'}`,
    `${grouped(tokensIn)} tokens in${cached}, ${grouped(tokensOut)} out`,
    costUsd === undefined ? 'cost unknown' : `$${costUsd.toFixed(4)}`,
  ];
  const known = isWhole ? counted : turns === 0 ? ['worked in an earlier start'] : [...counted, 'since the resume'];
  return [...known, `depth ${depth}`, ...(worktree === undefined ? [] : [describeWorktree(worktree)])];
}

export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

function describeWorktree({ path, branch }: { readonly path: string; readonly branch: string }): string {
  return `worktree ${stripToLine(path)}${branch === '' ? '' : ` (${stripToLine(branch)})`}`;
}

/** `/compare`: agents side by side (TU-31): results, cost, time, files that several changed, differences. */

import { relative } from 'node:path';
import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { duration, exactMoney, plural } from '../../../protocol/format-numbers.js';
import { describeTokens } from '../../view/describe/describe-cost.js';
import type { CommandContext } from '../command-context.js';
import { findTask } from './agent-commands.js';
import { type ComparedAgent, comparisonOf } from './comparison.js';

const MAX_LINES = 12;

export async function compareAgents({ session, say }: Pick<CommandContext, 'session' | 'say'>, argument: string) {
  const wanted = argument.split(/\s+/).filter((word) => word !== '');
  const found = await comparisonOf(
    session,
    wanted.map((word) => findTask(session, word)),
  );
  if (!found.ok) return say(escapeToLine(found.reason));
  const { agents, shared } = found;
  for (const agent of agents) for (const line of describe(agent, session.cwd)) say(line);
  if (shared.length > 0) say('Changed by several agents:');
  for (const { path, by } of shared) say(escapeToLine(`  ${shorten(session.cwd, path)}: ${by.join(', ')}`));
  const hasWorktrees = agents.some(({ worktree }) => worktree !== undefined);
  if (hasWorktrees) say('/diff AGENT shows the changes in a worktree, /apply AGENT applies them here.');
}

function describe(agent: ComparedAgent, cwd: string): readonly string[] {
  const { label, snapshot, result, files, stat, reason } = agent;
  const { status, elapsedMs, turns, tokensIn, tokensOut, cacheShare, costUsd } = snapshot;
  const figures = [
    status,
    duration(elapsedMs),
    plural(turns, 'turn'),
    describeTokens(tokensIn, tokensOut, cacheShare),
    costUsd === undefined ? 'cost unknown' : exactMoney(costUsd),
  ];
  const changed = stat ?? (files.length === 0 ? '' : files.map((path) => shorten(cwd, path)).join('\n'));
  return [
    stripToLine(`${label}: ${snapshot.description}`),
    `  ${figures.join(' · ')}`,
    ...block(result ?? (reason === undefined ? '(no reply yet)' : '')),
    ...(changed === '' ? ['  no files changed'] : ['  files:', ...block(changed, '    ')]),
    ...(reason === undefined ? [] : [escapeToLine(`  ! ${reason}`)]),
  ];
}

function block(text: string, indent = '  | '): readonly string[] {
  const lines = stripControls(text.trimEnd()).split('\n');
  const shown = lines.slice(0, MAX_LINES).map((line) => `${indent}${line}`);
  return lines.length > MAX_LINES ? [...shown, `${indent}… (+${plural(lines.length - MAX_LINES, 'line')})`] : shown;
}

function shorten(cwd: string, path: string): string {
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') ? path : short;
}

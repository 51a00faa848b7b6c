/** Names the requester: in full, or short enough for a row, as `fork-7 (worktree api-7f3a)`. */

import { escapeToLine } from '../../protocol/escape-controls.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import type { PermissionQuestion } from '../../protocol/permission.js';
import { agentLabel } from '../view/tree/agent-label.js';
import type { Listed } from './question-description.js';

type Requester = PermissionQuestion['agent'];

/** `The agent wren (fork, agent-1)`. */
export function fullName({ id, type, name }: Requester): string {
  if (id === MAIN_AGENT) return 'The main agent';
  const kind = escapeToLine(type);
  return `The agent ${name === undefined ? `${kind} (` : `${escapeToLine(name)} (${kind}, `}${escapeToLine(id)})`;
}

export function shortName({ id, type, name }: Requester): string {
  return id === MAIN_AGENT ? 'the main agent' : escapeToLine(name ?? agentLabel({ id, type }));
}

/** Adds its type unless the name contains it, its depth if above 1, and its worktree. */
function longName(agent: Requester): string {
  const { id, type, depth, worktree } = agent;
  if (id === MAIN_AGENT) return worktree === undefined ? 'The main agent' : `The main agent (${inWorktree(worktree)})`;
  const name = shortName(agent);
  const more = [
    ...(name.toLowerCase().startsWith(type.toLowerCase()) ? [] : [escapeToLine(type)]),
    ...(depth > 1 ? [`depth ${depth}`] : []),
    ...(worktree === undefined ? [] : [inWorktree(worktree)]),
  ];
  return more.length === 0 ? name : `${name} (${more.join(', ')})`;
}

function inWorktree({ name }: NonNullable<Requester['worktree']>): string {
  return `worktree ${escapeToLine(name)}`;
}

/** `fork-7 (worktree api-7f3a) asks; so do fork-9, fork-11`. */
export function headOf([first, ...others]: Listed, does: string, only?: string): string {
  const head = `${longName(first.agent)} ${does}`;
  if (others.length === 0) return head;
  const names = others.map(({ agent }) => shortName(agent)).join(', ');
  if (only !== undefined) return `${head}, alone; ${names} ${others.length === 1 ? 'waits' : 'wait'}`;
  return `${head}; so ${others.length === 1 ? 'does' : 'do'} ${names}`;
}

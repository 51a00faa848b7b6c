/** Who asks, in the few words of a row: `fork-7 (worktree api-7f3a)`. */

import { escapeToLine } from '../../../../protocol/escape-controls.js';
import { MAIN_AGENT } from '../../../../protocol/events.js';
import type { PermissionQuestion } from '../../../../protocol/permission.js';
import { agentLabel } from '../../../view/tree/agent-label.js';
import type { Listed } from './question-form.js';

type Asker = PermissionQuestion['agent'];

export function shortName({ id, type, name }: Asker): string {
  return id === MAIN_AGENT ? 'the main agent' : escapeToLine(name ?? agentLabel({ id, type }));
}

/** With its kind where the name does not say it, its depth from the second on, and its worktree. */
export function longName(agent: Asker): string {
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

function inWorktree({ name }: NonNullable<Asker['worktree']>): string {
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

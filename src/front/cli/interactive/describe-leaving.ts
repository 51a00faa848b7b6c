/** The text printed on leaving a session: where it is, what was interrupted, how to resume. */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { Session } from '../../sdk/session.js';
import { isActive } from '../../view/agent-view.js';
import type { AgentSnapshot } from '../../view/snapshots.js';

/** The agents that leaving interrupts. */
export function runningAgents(session: Session): readonly AgentSnapshot[] {
  return session.snapshot().filter(({ parent, status }) => parent !== undefined && isActive(status));
}

export function describeLeaving(session: Session, interrupted: readonly AgentSnapshot[]): readonly string[] {
  if (!session.isKept) return [`Session ${session.id}`, 'It was not saved.'];
  if (!session.isSaved) return [`Session ${session.id}`, 'Not saved: no prompt was sent.'];
  const names = interrupted.map(({ id, name, type }) => stripControls(`${name ?? type} (${id})`));
  return [
    `Session ${session.id}`,
    `Transcript: ${session.transcript}`,
    ...(names.length === 0 ? [] : [`Interrupted; you can resume them there (/tasks): ${names.join(', ')}`]),
    `To resume: coppice ${inWorktree(session)}--resume ${session.id}`,
  ];
}

function inWorktree({ worktree }: Session): string {
  return worktree === undefined ? '' : `--worktree ${worktree.name} `;
}

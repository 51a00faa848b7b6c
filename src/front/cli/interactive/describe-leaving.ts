/** What is said when a person leaves a session: where it is, what was interrupted, how to continue. */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { Session } from '../../sdk/session.js';
import { isUnderWay } from '../../view/agent-view.js';
import type { AgentSnapshot } from '../../view/snapshots.js';

/** The agents that leaving interrupts. */
export function leftAtWork(session: Session): readonly AgentSnapshot[] {
  return session.snapshot().filter(({ parent, status }) => parent !== undefined && isUnderWay(status));
}

export function describeLeaving(session: Session, interrupted: readonly AgentSnapshot[]): readonly string[] {
  if (!session.isKept) return [`Session ${session.id}`, 'Nothing of it was kept.'];
  if (!session.isSaved) return [`Session ${session.id}`, 'No prompt was sent, so nothing was saved.'];
  const names = interrupted.map(({ id, name, type }) => stripControls(`${name ?? type} (${id})`));
  return [
    `Session ${session.id}`,
    `Transcript: ${session.transcript}`,
    ...(names.length === 0 ? [] : [`Interrupted, and can continue there (/tasks): ${names.join(', ')}`]),
    `To continue it: coppice ${inWorktree(session)}--resume ${session.id}`,
  ];
}

function inWorktree({ worktree }: Session): string {
  return worktree === undefined ? '' : `--worktree ${worktree.name} `;
}

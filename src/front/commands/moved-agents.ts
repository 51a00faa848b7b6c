/** What is said when agents that were waited for go on in the background. */

export const NOTHING_TO_MOVE = '(nothing to move: no agent is waited for)';

export function describeMoved(moved: number): string {
  return moved === 1
    ? '(1 agent continues in the background; a notice brings its result)'
    : `(${moved} agents continue in the background; a notice brings each result)`;
}

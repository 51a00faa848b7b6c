/** What is said when agents and commands that were waited for go on in the background. */

export const NOTHING_TO_MOVE = '(nothing to move: no agent is waited for)';

export function describeMoved(moved: number): string {
  return moved === 1
    ? '(1 task continues in the background; a notice brings its result)'
    : `(${moved} tasks continue in the background; a notice brings each result)`;
}

/** Messages about agents and commands that move to the background. */

export const NOTHING_TO_MOVE = 'Nothing to move to the background.';

export function describeMoved(moved: number): string {
  return moved === 1
    ? "Moved 1 task to the background. You'll be notified when it finishes."
    : `Moved ${moved} tasks to the background. You'll be notified when each finishes.`;
}

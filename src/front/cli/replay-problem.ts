/** Describes what is wrong with the replay of an ended session; undefined if nothing is. Loaded only for replays. */

import type { Session } from '../sdk/session.js';

export async function replayProblem({ replay }: Pick<Session, 'replay'>): Promise<string | undefined> {
  if (replay === undefined || replay.ok) return undefined;
  return (await import('../../sim/recording/describe-replay.js')).describeReplay(replay);
}

/** What is wrong with the replay of a session that has ended, in words; undefined if nothing is. Loaded only for one. */

import type { Session } from '../sdk/session.js';

export async function replayProblem({ replay }: Pick<Session, 'replay'>): Promise<string | undefined> {
  if (replay === undefined || replay.ok) return undefined;
  return (await import('../../sim/recording/describe-replay.js')).describeReplay(replay);
}

/** `/exit`: leaves; what is at work is interrupted by that, so it is asked about first. */

import { plural } from '../../../protocol/format-numbers.js';
import { isUnderWay } from '../../view/agent-view.js';
import type { CommandContext } from '../command-context.js';

type Context = Pick<CommandContext, 'session' | 'ask' | 'say' | 'leave'>;

export async function leaveSession({ session, ask, say, leave }: Context): Promise<void> {
  const count = session.tasks().filter(({ status }) => isUnderWay(status)).length;
  if (count === 0) return leave();
  const what = plural(count, 'is at work, and is interrupted', 'are at work, and are interrupted');
  const answer = await ask(`${what} by that (they can be resumed). Leave? (y/n)`);
  if (/^y(?:es)?$/i.test(answer?.trim() ?? '')) return leave();
  say('You stay.');
}

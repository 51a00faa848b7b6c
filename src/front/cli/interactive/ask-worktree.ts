/** Asks on leaving whether to keep or discard a worktree with changes. Discarding is confirmed twice (WT-10). */

import type { SessionWorktree } from '../../../features/worktrees/session-worktree.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { describeLeftWorktree, describeWorktreeCommands } from '../../view/describe/describe-left-worktree.js';
import type { LinesRead, LinesShown } from './lines.js';

export type WorktreeQuestion = {
  readonly worktree: SessionWorktree | undefined;
  readonly screen: LinesShown;
  readonly input: LinesRead;
  /** Nobody can answer: the worktree is kept. */
  readonly unasked: boolean;
  /** Aborts when the user leaves without an answer: the worktree is kept. */
  readonly signal: AbortSignal;
};

export async function askAboutWorktree({ worktree, screen, input, unasked, signal }: WorktreeQuestion): Promise<void> {
  const say = (line: string) => screen.line(line);
  if (worktree?.left?.outcome !== 'kept' || worktree.isAlwaysKept || unasked) {
    for (const line of describeLeftWorktree(worktree)) say(line);
    return;
  }
  const { name, path, branch } = worktree;
  const ask = async () => (await input.read({ prompt: '? ', question: true, signal }))?.trim().toLowerCase();
  say(`The worktree ${name} has changes. Keep it?`);
  for (const reason of worktree.left.reasons) say(`  ${escapeToLine(reason)}`);
  for (;;) {
    say('  k  keep it (also Enter)');
    say('  d  discard it');
    const answer = await ask();
    if (answer === undefined || answer === '' || answer === 'k' || answer === 'keep') break;
    if (answer !== 'd' && answer !== 'discard') {
      say('That is not one of the choices.');
      continue;
    }
    say(`This deletes ${escapeToLine(path)} and the branch ${branch}, with everything in them. Are you sure?`);
    say('  yes  delete everything');
    say('  n    no, keep it (also Enter)');
    // A single key could be pressed twice by accident.
    if ((await ask()) !== 'yes') break;
    const discarded = await worktree.discard();
    if (discarded.outcome !== 'kept') return say(`Discarded worktree ${name}.`);
    say(`Can't remove it: ${discarded.reasons.map(escapeToLine).join('; ')}`);
    break;
  }
  say(`Kept worktree ${name}:`);
  for (const line of describeWorktreeCommands(name, path, branch)) say(line);
}

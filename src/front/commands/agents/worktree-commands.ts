/** `/worktrees` and `/apply`: the worktrees of agents, getting their work back, removing one. */

import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import type { CommandContext } from '../command-context.js';

const USE = 'Use /worktrees, /worktrees remove NAME [--discard], or /apply NAME.';

/** What is said about them is loaded with the first one. */
function loadWords() {
  return import('../../view/describe/describe-worktrees.js');
}

export async function runWorktrees({ session, say }: CommandContext, argument: string): Promise<void> {
  const [verb = '', ...words] = argument.split(/\s+/).filter((word) => word !== '');
  const { describeRemoved, describeWorktrees } = await loadWords();
  if (verb === '') return sayAll(say, describeWorktrees(await session.worktrees()));
  const names = words.filter((word) => word !== '--discard');
  const [name] = names;
  if (verb !== 'remove' || name === undefined || names.length > 1) return say(USE);
  const discard = words.includes('--discard');
  const removed = await session.removeWorktree(name, { discard });
  sayAll(say, describeRemoved(removed));
  if (!removed.ok && removed.name !== undefined && !discard) {
    say(`/apply ${removed.name} brings it back; /worktrees remove ${removed.name} --discard removes it with its work.`);
  }
}

export async function applyWork({ session, say }: CommandContext, argument: string): Promise<void> {
  if (argument === '' || /\s/.test(argument)) return say('Say whose work: /apply AGENT (/worktrees lists them)');
  const { describeApplied } = await loadWords();
  sayAll(say, describeApplied(await session.applyWorktree(argument)));
}

function sayAll(say: (line: string) => void, lines: readonly string[]): void {
  for (const line of lines) say(stripUnsafe(line));
}

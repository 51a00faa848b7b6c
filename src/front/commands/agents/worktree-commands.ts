/** `/worktrees`, `/diff` and `/apply`: the worktrees of agents, what is in one, getting it back, removing one (WT-12). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { type CommandContext, sayLines } from '../command-context.js';

const USE = 'Use /worktrees, /worktrees remove NAME [--discard], or /apply NAME.';

/** What is said about them is loaded with the first one. */
function loadWords() {
  return import('../../view/describe/describe-worktrees.js');
}

export async function runWorktrees({ session, say }: CommandContext, argument: string): Promise<void> {
  const [verb = '', ...words] = argument.split(/\s+/).filter((word) => word !== '');
  const { describeRemoved, describeWorktrees } = await loadWords();
  if (verb === '') return sayLines(say, describeWorktrees(await session.worktrees()));
  const names = words.filter((word) => word !== '--discard');
  const [name] = names;
  if (verb !== 'remove' || name === undefined || names.length > 1) return say(USE);
  const discard = words.includes('--discard');
  const removed = await session.removeWorktree(name, { discard });
  sayLines(say, describeRemoved(removed));
  if (!removed.ok && removed.name !== undefined && !discard) {
    say(`/apply ${removed.name} brings it back; /worktrees remove ${removed.name} --discard removes it with its work.`);
  }
}

export async function applyWork({ session, say }: CommandContext, argument: string): Promise<void> {
  if (argument === '' || /\s/.test(argument)) return say('Say whose work: /apply AGENT (/worktrees lists them)');
  const { describeApplied } = await loadWords();
  sayLines(say, describeApplied(await session.applyWorktree(argument)));
}

/** The worktree of an agent, or without one what is not committed in the session's own checkout. */
export async function showDiff({ session, say }: CommandContext, argument: string): Promise<void> {
  if (/\s/.test(argument)) return say('Say whose work: /diff AGENT, or /diff alone for what is not committed here.');
  const shown = await session.execute({ type: 'diff', ...(argument === '' ? {} : { worktree: argument }) });
  if (!shown.ok) return say(escapeToLine(shown.reason));
  sayLines(say, shown.notes);
  const whose = shown.name === undefined ? 'here' : `in ${shown.name}`;
  say(shown.diff === '' ? `Nothing is changed ${whose}.` : stripControls(shown.diff.replace(/\n$/, '')));
  if (shown.diff !== '' && shown.name !== undefined) say(`/apply ${shown.name} brings it here.`);
}

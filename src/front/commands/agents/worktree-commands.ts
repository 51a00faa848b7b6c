/** `/worktrees`, `/diff` and `/apply`: lists worktrees, shows and applies their changes, removes them (WT-12). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { type CommandContext, sayLines } from '../command-context.js';

const USE = 'Use /worktrees, /worktrees remove NAME [--discard], or /apply NAME.';

/** Loaded on first use. */
function loadDescriptions() {
  return import('../../view/describe/describe-worktrees.js');
}

export async function runWorktrees({ session, say }: CommandContext, argument: string): Promise<void> {
  const [verb = '', ...words] = argument.split(/\s+/).filter((word) => word !== '');
  const { describeRemoved, describeWorktrees } = await loadDescriptions();
  if (verb === '') return sayLines(say, describeWorktrees(await session.worktrees()));
  const names = words.filter((word) => word !== '--discard');
  const [name] = names;
  if (verb !== 'remove' || name === undefined || names.length > 1) return say(USE);
  const discard = words.includes('--discard');
  const removed = await session.removeWorktree(name, { discard });
  sayLines(say, describeRemoved(removed));
  if (!removed.ok && removed.name !== undefined && !discard) {
    say(`/apply ${removed.name} applies its work here; /worktrees remove ${removed.name} --discard deletes it.`);
  }
}

export async function applyWork({ session, say }: CommandContext, argument: string): Promise<void> {
  if (argument === '' || /\s/.test(argument)) return say('Name an agent: /apply AGENT (/worktrees lists them)');
  const { describeApplied } = await loadDescriptions();
  sayLines(say, describeApplied(await session.applyWorktree(argument)));
}

/** Shows the changes in an agent's worktree, or without an argument those not committed in the session's checkout. */
export async function showDiff({ session, say }: CommandContext, argument: string): Promise<void> {
  if (/\s/.test(argument)) return say('Name one agent: /diff AGENT, or /diff alone for uncommitted changes here.');
  const shown = await session.execute({ type: 'diff', ...(argument === '' ? {} : { worktree: argument }) });
  if (!shown.ok) return say(escapeToLine(shown.reason));
  sayLines(say, shown.notes);
  const where = shown.name === undefined ? 'here' : `in ${shown.name}`;
  say(shown.diff === '' ? `No changes ${where}.` : stripControls(shown.diff.replace(/\n$/, '')));
  if (shown.diff !== '' && shown.name !== undefined) say(`/apply ${shown.name} applies it here.`);
}

/** What a fresh agent is told first, and what of that may change. */

import type { Runtime } from '../../agents/runtime.js';
import { findRepoRoot } from '../../config/find-repo-root.js';
import { announcementsOf, type ChangingFacts } from '../../context/announced-facts.js';
import { dateOf, describeEnvironment, gatherEnvironment, readBranch } from '../../context/environment.js';
import { describeInstructions } from '../../context/instructions.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { reminder } from '../../protocol/tags.js';
import type { ReadFacts } from '../refresh/announce-changes.js';
import type { SessionConfig } from './session-config.js';

/** Facts and instructions a fresh agent starts with. */
export function firstFactsOf({ repoRoot: sessions, instructions, instructionsIn }: SessionConfig): Runtime['opening'] {
  return async ({ host, roots, worktree, model, omitInstructions, note }) => {
    const repoRoot = worktree === undefined ? sessions : await findRepoRoot(host, host.folder);
    const facts = await gatherEnvironment(host, { roots, repoRoot, model, worktreeOf: worktree?.from });
    const here = worktree && (await instructionsIn({ worktree, folder: host.folder, roots }));
    const files = omitInstructions ? [] : (here ?? instructions.now).files;
    const pages = [describeEnvironment(facts), ...(note === undefined ? [] : [note])];
    if (files.length > 0) pages.push(describeInstructions(files));
    return { words: reminder(pages.join('\n\n')), tells: announcementsOf({ ...facts, files }) };
  };
}

/** The same facts as they are now. */
export function readFactsOf({ host, repoRoot, instructions }: SessionConfig): ReadFacts {
  let first: ChangingFacts | undefined;
  return async () => {
    const lines = await instructions.readAgain();
    const { branch } = repoRoot === undefined ? {} : await readBranch(host, repoRoot);
    const facts = { date: dateOf(host), branch, files: instructions.now.files };
    first ??= facts;
    return { facts, first, lines: lines.map(escapeToLine) };
  };
}

/** Applies and announces changes to the main agent before your prompt, while nothing runs. */

import { refreshAgent } from '../../agents/feature.js';
import type { LiveAgent } from '../../agents/live-agent.js';
import { reportAgain } from '../../agents/notices/notice.js';
import type { Runtime } from '../../agents/runtime.js';
import { findRepoRoot } from '../../config/find-repo-root.js';
import { announcementsOf, type ChangingFacts, describeChanges, type ReadFacts } from '../../context/announced-facts.js';
import { dateOf, describeEnvironment, gatherEnvironment, readBranch } from '../../context/environment.js';
import { describeInstructions } from '../../context/instructions.js';
import { text } from '../../protocol/blocks.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { reminder } from '../../protocol/tags.js';
import { announcedTo } from '../../session/state/agent-state.js';
import type { SessionConfig } from '../build/session-config.js';
import type { EngineOptions } from '../engine-options.js';
import { reloadDefinitions } from './reload-definitions.js';
import { reloadSkills } from './reload-skills.js';
import type { ToolReloader } from './reload-tools.js';

export async function refreshMain(options: EngineOptions, main: LiveAgent, toolChanges: ToolReloader): Promise<void> {
  const { runtime, definitions, skills, readFacts, setup } = options;
  await reportAgain(runtime);
  await announceChanges(main, readFacts, setup.definition?.omitClaudeMd ?? false);
  await refreshAgent(runtime.features, main);
  if (await definitions.haveChanged()) await reloadDefinitions(runtime, main, definitions);
  await reloadSkills(runtime, main, skills);
  await toolChanges.apply(main);
}

/**
 * Announces what has changed since the last announcement: the date, the branch, instructions. Appended as a reminder.
 */
async function announceChanges(main: LiveAgent, readFacts: ReadFacts, omitInstructions: boolean): Promise<void> {
  const { facts, first, lines } = await readFacts();
  for (const line of lines) await main.emit({ kind: 'line-shown', level: 'warning', line });
  const heard = (all: ChangingFacts) => (omitInstructions ? { ...all, files: [] } : all);
  const { opening } = main.state.told;
  // An older transcript does not record its announcements: the current facts are taken as known.
  const announced =
    Object.keys(opening).length > 0
      ? announcedTo(main.state)
      : { ...announcementsOf(heard(first)), ...announcedTo(main.state) };
  const change = describeChanges(announced, heard(facts));
  if (change === undefined) return;
  const { words, announcements } = change;
  const key = `changes after ${main.state.lastSeq}`;
  await main.inbox.admit({ origin: 'reminder', key, announcements }, [text(reminder(words))]);
}

/** Facts and instructions a fresh agent starts with. */
export function firstFactsOf({ repoRoot: sessions, instructions, instructionsIn }: SessionConfig): Runtime['opening'] {
  return async ({ host, roots, worktree, model, omitInstructions, note }) => {
    const repoRoot = worktree === undefined ? sessions : await findRepoRoot(host, host.folder);
    const facts = await gatherEnvironment(host, { roots, repoRoot, model, worktreeOf: worktree?.from });
    const here = worktree && (await instructionsIn({ worktree, folder: host.folder, roots }));
    const files = omitInstructions ? [] : (here ?? instructions.now).files;
    const pages = [describeEnvironment(facts), ...(note === undefined ? [] : [note])];
    if (files.length > 0) pages.push(describeInstructions(files));
    return { words: reminder(pages.join('\n\n')), announcements: announcementsOf({ ...facts, files }) };
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

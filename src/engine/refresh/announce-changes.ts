/** What has changed since the main agent was told of it: the date, the branch, instructions. Appended as a reminder. */

import type { LiveAgent } from '../../agents/live-agent.js';
import { announcementsOf, type ChangingFacts, describeChanges } from '../../context/announced-facts.js';
import { text } from '../../protocol/blocks.js';
import { reminder } from '../../protocol/tags.js';
import { toldOf } from '../../session/state/agent-state.js';

export type ReadFacts = () => Promise<{
  readonly facts: ChangingFacts;
  /** As they were when they were first read by this process. */
  readonly first: ChangingFacts;
  /** What is wrong with the instructions, for the person. */
  readonly lines: readonly string[];
}>;

export async function announceChanges(main: LiveAgent, readFacts: ReadFacts, omitInstructions: boolean): Promise<void> {
  const { facts, first, lines } = await readFacts();
  for (const line of lines) await main.emit({ kind: 'line-shown', level: 'warning', line });
  const heard = (all: ChangingFacts) => (omitInstructions ? { ...all, files: [] } : all);
  const { opening } = main.state.told;
  // An older transcript does not say what its opening told: what holds now counts as known.
  const told =
    Object.keys(opening).length > 0 ? toldOf(main.state) : { ...announcementsOf(heard(first)), ...toldOf(main.state) };
  const change = describeChanges(told, heard(facts));
  if (change === undefined) return;
  const { words, tells } = change;
  const key = `changes after ${main.state.lastSeq}`;
  await main.inbox.admit({ origin: 'reminder', key, tells }, [text(reminder(words))]);
}

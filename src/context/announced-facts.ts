/**
 * Facts that an agent learns at its start and that may change while it works: the date, the branch, the instructions. Each
 * is a topic. The last announcement of each is recorded, so that a change is noticed, also after a resume. Pure.
 */

import { createHash } from 'node:crypto';
import type { Announcements } from '../protocol/events.js';
import type { InstructionFile } from './imports.js';
import { describeFile } from './instructions.js';

export type ChangingFacts = {
  readonly date: string;
  /** As text; undefined if unknown. */
  readonly branch: string | undefined;
  readonly files: readonly InstructionFile[];
};

/** Reads the facts as they are now. */
export type ReadFacts = () => Promise<{
  readonly facts: ChangingFacts;
  /** As they were when they were first read by this process. */
  readonly first: ChangingFacts;
  /** What is wrong with the instructions, for the person. */
  readonly lines: readonly string[];
}>;

const FILE = 'instructions ';

/** Returns the announcements of all these facts. */
export function announcementsOf({ date, branch, files }: ChangingFacts): Announcements {
  return {
    date,
    ...(branch === undefined ? {} : { branch }),
    ...Object.fromEntries(files.map((file) => [`${FILE}${file.path}`, textHash(file)])),
  };
}

/** Describes the changes since `told`; undefined if nothing has changed. */
export function describeChanges(
  told: Announcements,
  facts: ChangingFacts,
): { readonly words: string; readonly announcements: Announcements } | undefined {
  const { date, branch, files } = facts;
  const now = announcementsOf(facts);
  const changed = files.filter(({ path }) => told[`${FILE}${path}`] !== now[`${FILE}${path}`]);
  const gone = Object.keys(told).filter((topic) => topic.startsWith(FILE) && told[topic] !== '' && !(topic in now));
  const pages = [
    ...(told.date === date ? [] : [`Today is ${date}.`]),
    ...(branch === undefined || told.branch === branch ? [] : [`The repository is on ${branch} now.`]),
    ...(changed.length === 0 ? [] : [CHANGED, ...changed.map(describeFile)]),
    ...(gone.length === 0 ? [] : [`Instructions that no longer hold: ${gone.map(nameOf).join(', ')}`]),
  ];
  if (pages.length === 0) return undefined;
  return {
    words: pages.join('\n\n'),
    announcements: { ...now, ...Object.fromEntries(gone.map((topic) => [topic, ''])) },
  };
}

const CHANGED = '# Instructions\n\nAs these files say now. What was said from them before no longer holds.';

function nameOf(topic: string): string {
  return topic.slice(FILE.length);
}

function textHash({ text }: InstructionFile): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** A process that dies, played in one process: what is on disk at the moment is put aside and put back after the end. */

import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Session } from '../../../src/front/sdk/session.js';
import type { Sim } from '../../../src/sim/index.js';
import { agentTranscripts } from '../../support/session-files.js';
import type { Stage } from '../../support/story.js';
import { until } from '../../support/until.js';

/** Goes on when `look` is true; the session is left, and the disk is what it was at that moment. */
export async function dieWhen(stage: Stage, session: Session, look: () => boolean): Promise<void> {
  await until(look);
  await die(stage, session);
}

/** `undo` is called once the disk is put aside: for whatever keeps the session from ending. */
export async function die(stage: Stage, session: Session, undo: () => void = () => {}): Promise<void> {
  const home = join(stage.home, '.coppice');
  const aside = join(stage.home, 'aside');
  await cp(home, aside, { recursive: true });
  undo();
  await session.close();
  await rm(home, { recursive: true });
  await cp(aside, home, { recursive: true });
  await rm(aside, { recursive: true });
  const projects = join(home, 'projects');
  for (const name of await readdir(projects, { recursive: true })) {
    // The dead hold no lock that counts; here, in the same process, it would look alive.
    if (name.endsWith('.lock')) await rm(join(projects, name));
  }
}

/** The transcript of the only child (or of the one whose file holds the words), and how to cut it. */
export async function childFile(session: Session, words = ''): Promise<string> {
  for (const path of await agentTranscripts(session)) {
    if ((await readFile(path, 'utf8')).includes(words)) return path;
  }
  throw new Error(`no child has ${words}`);
}

/** Leaves the records up to the last one of this kind that has these words, and nothing after it. */
export async function cutAfter(path: string, kind: string, words = ''): Promise<void> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean);
  const last = lines.findLastIndex((line) => JSON.parse(line).kind === kind && line.includes(words));
  if (last < 0) throw new Error(`no record ${kind} in ${path}`);
  await writeFile(path, `${lines.slice(0, last + 1).join('\n')}\n`);
}

/** Of all that was answered at all, nothing was refused: the dead leave requests without an answer. */
export function expectNoneRefused(sim: Sim): void {
  expect(sim.unmatched, sim.report()).toEqual([]);
  const refused = sim.requests.filter(({ status }) => status !== undefined && status !== 200);
  expect(
    refused.map(({ error }) => error),
    sim.report(),
  ).toEqual([]);
}

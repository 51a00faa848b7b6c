/** How the local memory and the snapshot differ. */

import type { Host } from '../../../host/host.js';
import type { Result } from '../../../protocol/result.js';
import { areComparable, MOST_EDITS } from '../../../protocol/text/compare-limits.js';
import type { MemoryFolder } from '../find-memory.js';
import { changeMemory } from './memory-lock.js';
import { readLocal, readTeam } from './read-sides.js';
import { shownName, type Texts } from './read-texts.js';
import { noSnapshot } from './take-memory.js';

export type MemoryDifference = Result<{
  readonly files: readonly { readonly name: string; readonly state: FileDifference }[];
  /** A unified diff, from mine to the snapshot. */
  readonly text: string;
}>;

export type FileDifference = 'only-mine' | 'only-theirs' | 'changed' | 'same';

export function memoryDifference(host: Host, place: MemoryFolder): Promise<MemoryDifference> {
  return changeMemory(host, place, async (sides): Promise<MemoryDifference> => {
    const team = await readTeam(host, sides.team);
    if (team.updatedAt.kind === 'absent') return noSnapshot(place);
    const [mine, theirs] = [(await readLocal(host, sides.local)).texts, team.texts];
    const names = [...new Set([...mine.keys(), ...theirs.keys()])].sort();
    const files = names.map((name) => ({ name, state: compare(mine.get(name), theirs.get(name)) }));
    const parts: string[] = [];
    for (const { name, state } of files) if (state !== 'same') parts.push(await showDifference(name, mine, theirs));
    return { ok: true, files, text: parts.join('') };
  });
}

function compare(mine: Buffer | undefined, theirs: Buffer | undefined): FileDifference {
  if (mine === undefined) return 'only-theirs';
  if (theirs === undefined) return 'only-mine';
  return mine.equals(theirs) ? 'same' : 'changed';
}

async function showDifference(name: string, mine: Texts, theirs: Texts): Promise<string> {
  const [before, after] = [mine.get(name), theirs.get(name)];
  const shown = shownName(undefined, name);
  const [from, to] = [before ? `mine/${shown}` : '/dev/null', after ? `snapshot/${shown}` : '/dev/null'];
  const head = `--- ${from}\n+++ ${to}\n`;
  const [old = '', now = ''] = [textOf(before), textOf(after)];
  if (old === null || now === null) return `${head}@@ not text: they differ @@\n`;
  const { formatPatch, structuredPatch } = await import('diff');
  const options = { context: 3, maxEditLength: MOST_EDITS };
  const patch = areComparable(old, now)
    ? structuredPatch(from, to, old, now, undefined, undefined, options)
    : undefined;
  if (patch === undefined) return `${head}@@ too different to be shown @@\n`;
  return formatPatch(patch).replace(/^={3,}\n/, '');
}

/** Null if it is not text. */
function textOf(bytes: Buffer | undefined): string | null | undefined {
  if (bytes === undefined) return undefined;
  const text = bytes.toString('utf8');
  return text.includes('\0') || !Buffer.from(text).equals(bytes) ? null : text;
}

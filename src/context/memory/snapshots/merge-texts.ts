/** Merges .md files three ways, file by file. Where both sides changed the same place, both texts stay, mine first. */

import type { HeldFolder } from '../../../host/files.js';
import type { Git } from '../../../host/git/git.js';
import { plural } from '../../../protocol/format-numbers.js';
import { MOST_EDITS } from '../../../protocol/text/compare-limits.js';
import { shownName, type Texts } from './read-texts.js';

export type ThreeTexts = {
  readonly mine: Texts;
  readonly theirs: Texts;
  /** The common ancestor; undefined if not known. */
  readonly base: Texts | undefined;
};

export type MergedTexts = { readonly texts: Texts; readonly notes: readonly string[] };

/** `folder` is empty, and git works in it. Throws if git can't. */
export async function mergeTexts(three: ThreeTexts, folder: HeldFolder, git: () => Promise<Git>): Promise<MergedTexts> {
  const { mine, theirs, base } = three;
  const texts = new Map<string, Buffer>();
  const notes: string[] = [];
  for (const name of [...new Set([...mine.keys(), ...theirs.keys()])].sort()) {
    const one: ThreeFiles = { mine: mine.get(name), theirs: theirs.get(name), base: base?.get(name) };
    const shown = shownName(undefined, name);
    if (isBinaryConflict(one)) {
      const other = freeName(name, [mine, theirs, texts]);
      texts.set(name, one.mine).set(other, one.theirs);
      notes.push(`${shown} is not text: mine stays, and the snapshot's is ${shownName(undefined, other)}`);
      continue;
    }
    const merged = await mergeFile(one, folder, git);
    if (merged.bytes !== undefined) texts.set(name, merged.bytes);
    else notes.push(`${shown} was removed: one side removed it, the other had not changed it`);
    if (merged.places > 0) {
      notes.push(`${shown} has ${plural(merged.places, 'place')} with both texts, mine first`);
    }
    if (merged.isKept) notes.push(`${shown} stays: one side removed it, the other changed it`);
  }
  return { texts, notes };
}

type ThreeFiles = {
  readonly mine: Buffer | undefined;
  readonly theirs: Buffer | undefined;
  readonly base: Buffer | undefined;
};

type MergedFile = {
  /** Undefined: the file is removed. */
  readonly bytes: Buffer | undefined;
  /** The number of places with both texts. */
  readonly places: number;
  readonly isKept?: boolean;
};

async function mergeFile(
  { mine, theirs, base }: ThreeFiles,
  folder: HeldFolder,
  git: () => Promise<Git>,
): Promise<MergedFile> {
  if (mine === undefined || theirs === undefined) {
    const bytes = mine ?? theirs;
    if (base === undefined) return { bytes, places: 0 };
    return bytes?.equals(base) ? { bytes: undefined, places: 0 } : { bytes, places: 0, isKept: true };
  }
  if (mine.equals(theirs) || base?.equals(theirs)) return { bytes: mine, places: 0 };
  if (base?.equals(mine)) return { bytes: theirs, places: 0 };
  if (base === undefined) return uniteLines(mine, theirs);
  await folder.replace('mine', mine);
  await folder.replace('theirs', theirs);
  await folder.replace('base', base);
  const run = await git();
  const union = await run(['merge-file', '-p', '-q', '--union', 'mine', 'base', 'theirs']);
  if (!union.ok) throw new Error(`git could not merge: ${union.reason}`);
  // Its exit code is the number of conflicts there would have been.
  const counted = await run(['merge-file', '-p', '-q', 'mine', 'base', 'theirs']);
  return { bytes: union.stdout, places: counted.code ?? 0 };
}

/** Without a base: lines of either side stay, and common ones appear once. */
async function uniteLines(mine: Buffer, theirs: Buffer): Promise<MergedFile> {
  const { diffArrays } = await import('diff');
  const [a, b] = [linesOf(mine), linesOf(theirs)];
  const changes = diffArrays(a, b, { maxEditLength: MOST_EDITS });
  const lines = changes?.flatMap(({ value }) => value) ?? [...a, ...b];
  const places = changes?.filter(({ added }, index) => added && changes[index - 1]?.removed).length ?? 1;
  // The last line of one may have no end.
  const joined = lines.map((line, index) => (line.endsWith('\n') || index === lines.length - 1 ? line : `${line}\n`));
  return { bytes: Buffer.from(joined.join(''), 'latin1'), places };
}

/** One character per byte. */
function linesOf(bytes: Buffer): string[] {
  return bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

type BinaryConflict = { readonly mine: Buffer; readonly theirs: Buffer };

function isBinaryConflict(one: ThreeFiles): one is ThreeFiles & BinaryConflict {
  const { mine, theirs, base } = one;
  if (mine === undefined || theirs === undefined || mine.equals(theirs)) return false;
  if (base?.equals(mine) || base?.equals(theirs)) return false;
  return [mine, theirs, base].some((bytes) => bytes?.subarray(0, BINARY_WITHIN).includes(0));
}

/** As git detects it. */
const BINARY_WITHIN = 8_000;

function freeName(name: string, taken: readonly Texts[]): string {
  const stem = name.slice(0, -'.md'.length);
  for (let number = 1; ; number += 1) {
    const other = `${stem}.snapshot${number === 1 ? '' : `-${number}`}.md`;
    if (!taken.some((texts) => texts.has(other))) return other;
  }
}

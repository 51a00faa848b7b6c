/** Describes a changed file to hooks: its previous content, and the difference. Loads the diff library on demand. */

import { MOST_EDITS } from '../../protocol/text/compare-limits.js';
import type { FileChangeResponse, PatchHunk } from '../../protocol/tools/edit.js';
import { decodeText } from '../read/text-encoding.js';

export type ChangedFile = {
  /** As given by the model, absolute. */
  readonly path: string;
  /** Undefined: the file is new. */
  readonly before: Buffer | undefined;
  readonly after: Buffer;
};

const CONTEXT = 3;
/** For a longer file, hooks get only the path: they can read it. */
const MAX_BYTES = 1_000_000;

export async function describeChange({ path, before, after }: ChangedFile): Promise<FileChangeResponse> {
  const response = { filePath: path, success: true } as const;
  const old = before === undefined ? undefined : textOf(before);
  const now = textOf(after);
  if (old === undefined || now === undefined) return { ...response, originalFile: null, structuredPatch: [] };
  return { ...response, originalFile: old, structuredPatch: await compare(old, now) };
}

function textOf(bytes: Buffer): string | undefined {
  return bytes.length > MAX_BYTES ? undefined : decodeText(bytes)?.text;
}

async function compare(before: string, after: string): Promise<readonly PatchHunk[]> {
  const { structuredPatch } = await import('diff');
  const options = { context: CONTEXT, maxEditLength: MOST_EDITS };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  // Too different to compare.
  if (patch === undefined) return [replaceAll(before.split('\n'), after.split('\n'))];
  return patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines,
  }));
}

function replaceAll(before: readonly string[], after: readonly string[]): PatchHunk {
  const lines = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  return { oldStart: 1, oldLines: before.length, newStart: 1, newLines: after.length, lines };
}

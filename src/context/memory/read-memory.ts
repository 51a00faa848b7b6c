/**
 * Reads an agent's `MEMORY.md`, as much of it as goes into its prompt. The folder is opened by its real path, and links
 * are not followed (ME-3). Never blocks and never exceeds its limit (GT-32).
 */

import { createHash } from 'node:crypto';
import { errorCode, type Files, type HeldFolder } from '../../host/files.js';
import { MEMORY_FILE } from '../../protocol/agent-spawned.js';
import { byteSize } from '../../protocol/format-numbers.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { neutralizeTags } from '../../protocol/tags.js';

/** The limits of what goes into the prompt (ME-1). */
const MOST_LINES = 200;
const MOST_BYTES = 25 * 1024;

export type MemoryText =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'read';
      /** With imitations of our tags marked. */
      readonly text: string;
      /** A description of how much was left out. */
      readonly cut?: string;
      readonly version: { readonly mtimeMs: number; readonly size: number };
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** `folder`: its real path. */
export async function readMemory(files: Files, folder: string): Promise<MemoryText> {
  try {
    const held = await files.holdFolder(folder);
    try {
      return await readHeld(held);
    } finally {
      await held.close();
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return { kind: 'absent' };
    if (code === 'ESTALE') return refused(`${folder} is a link now; memory folders must not be links`);
    return refused(reasonOf(error));
  }
}

async function readHeld(folder: HeldFolder): Promise<MemoryText> {
  const path = `${folder.path}/${MEMORY_FILE}`;
  const found = await folder.lstat(MEMORY_FILE);
  if (found === undefined) return { kind: 'absent' };
  if (found.kind === 'link') return refused(`${path} is a link; memory folders must not be links`);
  if (found.kind !== 'file') return refused(`${path} is not a regular file`);
  const file = await folder.openRead(MEMORY_FILE);
  try {
    // Check the opened file: the name may have been replaced since lstat.
    const { kind, links, size, mtimeMs } = await file.stat();
    if (kind !== 'file') return refused(`${path} is not a regular file`);
    if (links > 1) return refused(`${path} has ${links} hard links, and one may be outside: replace it with a copy`);
    return { kind: 'read', ...firstPart(await file.read(0, MOST_BYTES + 1), size), version: { mtimeMs, size } };
  } finally {
    await file.close();
  }
}

function firstPart(bytes: Buffer, size: number): { readonly text: string; readonly cut?: string } {
  const isLong = bytes.length > MOST_BYTES;
  // A character split by the limit is left out, with its line unless that is the only one.
  const whole = bytes
    .subarray(0, MOST_BYTES)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  const end = isLong ? whole.lastIndexOf('\n') : -1;
  const fitting = isLong ? (end > 0 ? whole.slice(0, end + 1) : whole.replace(/\uFFFD+$/, '')) : whole;
  const lines = fitting.split('\n');
  const hasMore = lines.length > MOST_LINES && lines.slice(MOST_LINES).join('\n') !== '';
  const text = hasMore ? `${lines.slice(0, MOST_LINES).join('\n')}\n` : fitting;
  if (text.trim() === '' && !isLong) return { text: '' };
  const cut = hasMore ? `the first ${MOST_LINES} lines` : isLong ? `the first ${byteSize(MOST_BYTES)}` : undefined;
  const shown = neutralizeTags(text.replaceAll('\0', '\uFFFD'));
  return { text: shown, ...(cut === undefined ? {} : { cut: `${cut} of ${size} bytes` }) };
}

function refused(reason: string): MemoryText {
  return { kind: 'refused', reason };
}

/** Identifies a text, to know whether an agent has seen it. */
export function memoryHash(memory: MemoryText): string {
  const { text = '', cut = '' } = memory.kind === 'read' ? memory : {};
  return createHash('sha256').update(`${cut}\0${text}`).digest('hex').slice(0, 16);
}

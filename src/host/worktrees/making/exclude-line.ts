/**
 * Edits the repository's `info/exclude`, which all its worktrees share and no commit contains. Never written through a
 * link. Called under the repository's lock.
 */

import { join } from 'node:path';
import { reasonOf } from '../../../protocol/reason-of.js';
import type { HeldFolder } from '../../files.js';
import type { Host } from '../../host.js';

/** The line for the folder of our worktrees. */
export const WORKTREES_LINE = '/.claude/worktrees/';

/** Adds missing lines. Returns a note if it can't: git then shows the folders as untracked. */
export async function addExcludeLines(
  host: Host,
  commonDir: string,
  lines: readonly string[],
): Promise<string | undefined> {
  const file = join(commonDir, 'info', 'exclude');
  try {
    const git = await host.files.holdFolder(commonDir);
    try {
      const info = await git.makeFolder('info');
      try {
        await addLines(info, lines);
      } finally {
        await info.close();
      }
    } finally {
      await git.close();
    }
    return undefined;
  } catch (error) {
    return `git shows ${lines.join(', ')} as untracked: ${file} can't be written to (${reasonOf(error)})`;
  }
}

async function addLines(info: HeldFolder, lines: readonly string[]): Promise<void> {
  const was = await info.lstat('exclude');
  const text = was === undefined ? '' : await readText(info);
  const present = new Set(text.split('\n').map((line) => line.trimEnd()));
  const missing = lines.filter((line) => !present.has(line));
  if (missing.length === 0) return;
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  const content = Buffer.from(`${before}${missing.join('\n')}\n`, 'latin1');
  await info.replace('exclude', content, { mode: 0o644, was: was ?? 'nothing' });
}

/** One character per byte: existing content stays unchanged in any encoding. */
async function readText(info: HeldFolder): Promise<string> {
  const file = await info.openRead('exclude');
  try {
    const { kind, size } = await file.stat();
    if (kind !== 'file' || size > MOST_BYTES) throw new Error('it is not a plain file of moderate size');
    return (await file.read(0, size)).toString('latin1');
  } finally {
    await file.close();
  }
}

const MOST_BYTES = 1024 * 1024;

/** Returns a line that matches exactly this path, relative to the top. */
export function lineFor(path: string): string {
  const escaped = path.replace(/[\\*?[\]]/g, '\\$&').replace(/ +$/, (spaces) => '\\ '.repeat(spaces.length));
  return `/${Buffer.from(escaped, 'utf8').toString('latin1')}`;
}

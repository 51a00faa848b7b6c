/** Shows an agent's notes, file by file. */

import type { MemoryFolder } from '../../context/memory/find-memory.js';
import type { Host } from '../../host/host.js';
import type { MemoryScope } from '../../protocol/agent-spawned.js';
import type { Result } from '../../protocol/result.js';
import { nearestNames } from '../../tools/nearest-names.js';
import { listMemoryFiles, type MemoryFile, readMemoryFile, readMemoryFiles } from './memory-files.js';

export type ShownMemory = Result<{
  readonly scope: MemoryScope;
  readonly folder: string;
  /** `MEMORY.md` first. */
  readonly files: readonly MemoryFile[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
}>;

export async function showMemory(host: Host, place: MemoryFolder, file?: string): Promise<ShownMemory> {
  const { scope, folder } = place;
  if (file !== undefined) {
    const listed = await listMemoryFiles(host, folder);
    if (!listed.ok) return listed;
    const names = listed.files.map(({ name }) => name);
    if (!names.includes(file)) return { ok: false, reason: explainMissing(place, names, file) };
  }
  const read = await (file === undefined ? readMemoryFiles(host, folder) : readMemoryFile(host, folder, file));
  return read.ok ? { ...read, scope, folder } : read;
}

function explainMissing({ type, folder }: MemoryFolder, names: readonly string[], file: string): string {
  if (names.length === 0) return `nothing is noted yet by ${type}: ${folder} has no .md files`;
  const near = nearestNames(file, names);
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `there are: ${names.slice(0, 8).join(', ')}`;
  return `there is no file ${JSON.stringify(file)} in the memory of ${type}, the .md files in ${folder}; ${hint}`;
}

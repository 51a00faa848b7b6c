/** What an agent has noted, file by file. */

import type { MemoryPlace } from '../../context/memory/find-memory.js';
import type { Host } from '../../host/host.js';
import type { MemoryScope } from '../../protocol/agent-spawned.js';
import { nearestNames } from '../../tools/nearest-names.js';
import { listMemoryFiles, type MemoryFile, readMemoryFiles } from './memory-files.js';

export type ShownMemory =
  | {
      readonly ok: true;
      readonly scope: MemoryScope;
      readonly folder: string;
      /** `MEMORY.md` first. */
      readonly files: readonly MemoryFile[];
    }
  | { readonly ok: false; readonly reason: string };

export async function showMemory({ files }: Host, place: MemoryPlace, file?: string): Promise<ShownMemory> {
  const { scope, folder } = place;
  const listed = await listMemoryFiles(files, folder);
  if (!listed.ok) return listed;
  const names = listed.files.map(({ name }) => name);
  if (file !== undefined && !names.includes(file)) return { ok: false, reason: explainMissing(place, names, file) };
  const read = await readMemoryFiles(files, folder, file === undefined ? names : [file]);
  return read.ok ? { ok: true, scope, folder, files: read.files } : read;
}

function explainMissing({ type, folder }: MemoryPlace, names: readonly string[], file: string): string {
  if (names.length === 0) return `${type} has noted nothing yet: ${folder} has no .md files`;
  const near = nearestNames(file, names);
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : `there are: ${names.slice(0, 8).join(', ')}`;
  return `${type} has no file ${JSON.stringify(file)}: it keeps .md files, all in ${folder}; ${hint}`;
}

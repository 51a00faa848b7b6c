/** Agent memory, and the results of changing it, as lines. Names, times and reasons are untrusted: escaped. */

import type { MemoryDifference } from '../../../context/memory/snapshots/memory-difference.js';
import type { MemoryDone } from '../../../context/memory/snapshots/memory-lock.js';
import type { MemoryBackup } from '../../../context/memory/snapshots/roll-back-memory.js';
import type { MemoryList, MemoryView, SnapshotView } from '../../../features/memory/list-memory.js';
import type { CommandOf } from '../../../protocol/commands.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { byteSize, localTime, plural } from '../../../protocol/format-numbers.js';

export function describeMemories({ memories, problems, untrusted }: MemoryList): readonly string[] {
  const lines = memories.flatMap((memory) => describeMemory(memory, untrusted));
  return [
    ...(lines.length === 0
      ? ['No agent here has memory. Add "memory: project" to an agent file to give it one.']
      : lines),
    ...[...problems, ...(untrusted === undefined ? [] : [untrusted])].map((line) => `! ${escapeToLine(line)}`),
  ];
}

/** The reason for distrust is printed once for all. */
function describeMemory(memory: MemoryView, untrusted: string | undefined): readonly string[] {
  const { name, scope, isUnclaimed, folder, snapshot, backups } = memory;
  const reason = memory.reason === untrusted && untrusted !== undefined ? 'the folder is not trusted' : memory.reason;
  const facts = folder === undefined || reason !== undefined ? 'not read' : describeSize(memory);
  const lines = [
    `${name}  ${scope}  ${isUnclaimed ? 'no agent uses it, ' : ''}${facts}`,
    ...(folder === undefined ? [] : [`    ${folder}`]),
    ...(reason === undefined ? [] : [`    ${reason}`]),
    ...(snapshot === undefined ? [] : [`    snapshot: ${describeSnapshot(snapshot)}`]),
    ...(backups === 0 ? [] : [`    ${plural(backups, 'backup')} of it (coppice memory rollback ${name} --list)`]),
  ];
  return lines.map(escapeToLine);
}

function describeSize({ files, bytes, lines }: MemoryView): string {
  if (files === 0) return 'empty';
  const entry = lines === undefined ? 'no MEMORY.md' : `MEMORY.md ${plural(lines, 'line')}`;
  return `${plural(files, 'file')}, ${byteSize(bytes)}, ${entry}`;
}

function describeSnapshot({ state, why, updatedAt }: SnapshotView): string {
  switch (state) {
    case 'none':
      return 'none';
    case 'current':
      return `up to date${updatedAt === undefined ? '' : ` (${updatedAt})`}`;
    case 'initialise':
      return 'available, and you have no notes yet: the agent starts with it, or take it now';
    case 'ask':
      return `take, merge or decline it: ${why}`;
    default:
      return state satisfies never;
  }
}

type Changed = Extract<MemoryDone, { readonly ok: true }>;
type How = CommandOf<'change-memory'>['how'];

/** `back`: the command that restores a backup, to be typed. */
export function describeChanged(how: How, name: string, changed: Changed, back: string): readonly string[] {
  const { files, backup, notes } = changed;
  return [
    DONE[how](escapeToLine(name), files.length),
    ...files.slice(0, MOST_FILES).map((file) => `  ${escapeToLine(file)}`),
    ...(files.length > MOST_FILES ? [`  … ${plural(files.length - MOST_FILES, 'file')} more`] : []),
    ...notes.map(escapeToLine),
    ...(backup === undefined
      ? []
      : [escapeToLine(`Previous content saved as backup ${backup}. To restore it: ${back} ${name} ${backup}`)]),
  ];
}

const MOST_FILES = 30;

const DONE: Readonly<Record<How, (name: string, files: number) => string>> = {
  take: (name, files) => `${name} now has the team's snapshot: ${plural(files, 'file')} changed.`,
  merge: (name, files) => `Merged the team's snapshot into the memory of ${name}: ${plural(files, 'file')} changed.`,
  publish: (name, files) =>
    `The memory of ${name} is now the team's snapshot: ${plural(files, 'file')} changed. Commit .claude/agent-memory-snapshots to share it.`,
  decline: (name) => `Kept your memory of ${name}. This snapshot won't be offered again.`,
  'roll-back': (name, files) => `Restored a backup of the memory of ${name}: ${plural(files, 'file')} changed.`,
};

export function describeBackups(name: string, backups: readonly MemoryBackup[]): readonly string[] {
  if (backups.length === 0) return [escapeToLine(`No backups of the memory of ${name}.`)];
  return backups.map(({ name: backup, at, files }) =>
    escapeToLine(`${backup}  ${localTime(at)}  ${plural(files.length, 'file')}: ${files.join(', ')}`),
  );
}

/** If there is nothing to compare, or no difference. The diff itself is shown as it is. */
export function describeNoDifference(name: string, { files }: Extract<MemoryDifference, { ok: true }>): string {
  const none = files.length === 0 ? ': both are empty' : '';
  return escapeToLine(`The memory of ${name} and the team's snapshot are the same${none}.`);
}

/** Capitalises a reason, which is part of a sentence otherwise. */
export function describeReason(reason: string): string {
  const line = escapeToLine(reason);
  return line.slice(0, 1).toUpperCase() + line.slice(1);
}

/** The memory of agents and what came of changing it, in lines. Names, times and reasons are others': made visible. */

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
    ...(lines.length === 0 ? ['No agent here has memory ("memory: project" in an agent file gives it one).'] : lines),
    ...[...problems, ...(untrusted === undefined ? [] : [untrusted])].map((line) => `! ${escapeToLine(line)}`),
  ];
}

/** What is not trusted is said once, for all of them. */
function describeMemory(memory: MemoryView, untrusted: string | undefined): readonly string[] {
  const { name, scope, isUnclaimed, folder, snapshot, backups } = memory;
  const reason = memory.reason === untrusted && untrusted !== undefined ? 'the folder is not trusted' : memory.reason;
  const facts = folder === undefined || reason !== undefined ? 'not read' : describeSize(memory);
  const lines = [
    `${name}  ${scope}  ${isUnclaimed ? 'no agent here has it, ' : ''}${facts}`,
    ...(folder === undefined ? [] : [`    ${folder}`]),
    ...(reason === undefined ? [] : [`    ${reason}`]),
    ...(snapshot === undefined ? [] : [`    snapshot: ${describeSnapshot(snapshot)}`]),
    ...(backups === 0 ? [] : [`    ${plural(backups, 'backup')} of it (coppice memory rollback ${name} --list)`]),
  ];
  return lines.map(escapeToLine);
}

function describeSize({ files, bytes, lines }: MemoryView): string {
  if (files === 0) return 'nothing noted yet';
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
      return 'there is one, and nothing of yours yet: the agent begins with it, or take it now';
    case 'ask':
      return `take, merge or decline it: ${why}`;
    default:
      return state satisfies never;
  }
}

type Changed = Extract<MemoryDone, { readonly ok: true }>;
type How = CommandOf<'change-memory'>['how'];

/** `back`: the command that goes back to a backup, for the person to type. */
export function describeChanged(how: How, name: string, changed: Changed, back: string): readonly string[] {
  const { files, backup, notes } = changed;
  return [
    DONE[how](escapeToLine(name), files.length),
    ...files.slice(0, MOST_FILES).map((file) => `  ${escapeToLine(file)}`),
    ...(files.length > MOST_FILES ? [`  … ${plural(files.length - MOST_FILES, 'file')} more`] : []),
    ...notes.map(escapeToLine),
    ...(backup === undefined ? [] : [escapeToLine(`What was there is in backup ${backup}: ${back} ${name} ${backup}`)]),
  ];
}

const MOST_FILES = 30;

const DONE: Readonly<Record<How, (name: string, files: number) => string>> = {
  take: (name, files) => `${name} has the team's snapshot now: ${plural(files, 'file')} changed.`,
  merge: (name, files) => `Merged the team's snapshot into the memory of ${name}: ${plural(files, 'file')} changed.`,
  publish: (name, files) =>
    `The memory of ${name} is the team's snapshot now: ${plural(files, 'file')} changed. Commit .claude/agent-memory-snapshots for others to get it.`,
  decline: (name) => `${name} keeps your memory as it is. This snapshot is not offered again.`,
  'roll-back': (name, files) => `Went back to a backup of the memory of ${name}: ${plural(files, 'file')} changed.`,
};

export function describeBackups(name: string, backups: readonly MemoryBackup[]): readonly string[] {
  if (backups.length === 0) return [escapeToLine(`There are no backups of the memory of ${name}.`)];
  return backups.map(({ name: backup, at, files }) =>
    escapeToLine(`${backup}  ${localTime(at)}  ${plural(files.length, 'file')}: ${files.join(', ')}`),
  );
}

/** Where there is nothing to compare, or nothing that differs. The diff itself is shown as it is. */
export function describeNoDifference(name: string, { files }: Extract<MemoryDifference, { ok: true }>): string {
  const none = files.length === 0 ? ': both are empty' : '';
  return escapeToLine(`The memory of ${name} and the team's snapshot are the same${none}.`);
}

/** A reason is part of a sentence; here it begins one. */
export function describeReason(reason: string): string {
  const line = escapeToLine(reason);
  return line.slice(0, 1).toUpperCase() + line.slice(1);
}

/** `coppice memory`: lists and shows agent memory, and exchanges it with the team's snapshots (ME-5). */

import { openFolderMemory } from '../../../engine/open/folder-memory.js';
import type { Memory, OfMemory } from '../../../features/memory/memory.js';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { MEMORY_FILE, type MemoryScope } from '../../../protocol/agent-spawned.js';
import type { CommandOf } from '../../../protocol/commands.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import {
  describeBackups,
  describeChanged,
  describeMemories,
  describeNoDifference,
} from '../../view/describe/describe-memory.js';
import { EXIT } from '../exit-code.js';
import { explainOpenFailure } from '../explain-open-failure.js';

export type MemoryFlags = { readonly json?: boolean; readonly scope?: MemoryScope; readonly trust?: boolean };

export function runMemoryList(flags: MemoryFlags): Promise<number> {
  return inFolder(flags, async (memory) => {
    const listed = await memory.list();
    tell(memory.warnings);
    return print(flags.json ? [JSON.stringify(listed, null, 2)] : describeMemories(listed));
  });
}

/** Verbatim to a pipe; without control characters to a terminal. */
export function runMemoryShow(name: string, file: string | undefined, flags: MemoryFlags): Promise<number> {
  return inFolder(flags, async (memory) => {
    const { scope, json } = flags;
    const shown = await memory.show(name, { scope, file: json ? file : (file ?? MEMORY_FILE) });
    if (json) return printJson(shown);
    if (!shown.ok) return fail(memory, shown);
    tell(shown.notes);
    for (const { text } of shown.files) write(text);
    return EXIT.done;
  });
}

export function runMemoryDiff(name: string, flags: MemoryFlags): Promise<number> {
  return inFolder(flags, async (memory) => {
    const diff = await memory.diff(name, flags);
    if (flags.json) return printJson(diff);
    if (!diff.ok) return fail(memory, diff);
    if (diff.text === '') tell([describeNoDifference(diff.name ?? name, diff)]);
    write(diff.text);
    return EXIT.done;
  });
}

export type ChangeFlags = MemoryFlags & { readonly force?: boolean };

export function runMemoryChange(how: 'take' | 'merge' | 'publish' | 'decline', name: string, flags: ChangeFlags) {
  return inFolder(flags, async (memory) => report(memory, how, name, await memory[how](name, flags), flags));
}

export type RollBackFlags = MemoryFlags & { readonly list?: boolean };

export function runMemoryRollBack(name: string, to: string | undefined, flags: RollBackFlags): Promise<number> {
  return inFolder(flags, async (memory) => {
    const { scope, json } = flags;
    if (!flags.list) return report(memory, 'roll-back', name, await memory.rollBack(name, { scope, to }), flags);
    if (to !== undefined) return refuse('--list shows all backups: leave out the name of one');
    const found = await memory.backups(name, { scope });
    if (json) return printJson(found);
    return found.ok ? print(describeBackups(found.name ?? name, found.backups)) : fail(memory, found);
  });
}

type Done = Awaited<ReturnType<Memory['take']>>;

function report(
  memory: Memory,
  how: CommandOf<'change-memory'>['how'],
  wanted: string,
  done: Done,
  { json }: MemoryFlags,
): number {
  if (json) return printJson(done);
  if (!done.ok) return fail(memory, done);
  return print(describeChanged(how, done.name ?? wanted, done, 'coppice memory rollback'));
}

async function inFolder({ trust = false }: MemoryFlags, work: (memory: Memory) => Promise<number>): Promise<number> {
  const opened = await openFolderMemory({ cwd: process.cwd(), ...(trust ? { trust } : {}) });
  return opened.ok ? work(opened.memory) : explainOpenFailure(opened);
}

function print(lines: readonly string[]): number {
  process.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.done;
}

function write(text: string): void {
  if (!process.stdout.isTTY) process.stdout.write(text);
  else if (text !== '') process.stdout.write(`${stripControls(text).replace(/\n$/, '')}\n`);
}

function tell(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`${escapeToLine(line)}\n`);
}

type Failed = { readonly reason: string; readonly name?: string };

function printJson(result: OfMemory<{ readonly ok: boolean }>): number {
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  return result.ok ? EXIT.done : codeOf(result);
}

/** Prints warnings too: an agent that is not found may be in an unreadable file. */
function fail({ warnings }: Memory, failed: Failed): number {
  if (failed.name === undefined) tell(warnings);
  process.stderr.write(`error: ${escapeToLine(failed.reason)}\n`);
  return codeOf(failed);
}

/** A usage error if the memory is not known: a wrong name, or a wrong folder. */
function codeOf({ name }: { readonly name?: string }): number {
  return name === undefined ? EXIT.usage : EXIT.error;
}

function refuse(message: string): number {
  process.stderr.write(`error: ${message}\n`);
  return EXIT.usage;
}

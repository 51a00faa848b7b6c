/** `coppice memory`: lists and shows agent memory, and exchanges it with the team's snapshots (ME-5). */

import { openFolderMemory } from '../../../engine/open/folder-memory.js';
import type { Memory, OfMemory } from '../../../features/memory/memory.js';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { MEMORY_FILE, type MemoryScope } from '../../../protocol/agent-spawned.js';
import type { CommandOf } from '../../../protocol/commands.js';
import {
  describeBackups,
  describeChanged,
  describeMemories,
  describeNoDifference,
} from '../../view/describe/describe-memory.js';
import { fail, print, printJson, printToStderr } from '../commands/print-result.js';
import { EXIT, usageError } from '../exit-code.js';
import { explainOpenFailure } from '../explain-open-failure.js';

export type MemoryFlags = { readonly json?: boolean; readonly scope?: MemoryScope; readonly trust?: boolean };

export function runMemoryList(flags: MemoryFlags): Promise<number> {
  return inFolder(flags, async (memory) => {
    const listed = await memory.list();
    printToStderr(memory.warnings);
    return flags.json ? printJson(listed) : print(describeMemories(listed));
  });
}

/** Verbatim to a pipe; without control characters to a terminal. */
export function runMemoryShow(name: string, file: string | undefined, flags: MemoryFlags): Promise<number> {
  return inFolder(flags, async (memory) => {
    const { scope, json } = flags;
    const shown = await memory.show(name, { scope, file: json ? file : (file ?? MEMORY_FILE) });
    if (json) return printResult(shown);
    if (!shown.ok) return failWith(memory, shown);
    printToStderr(shown.notes);
    for (const { text } of shown.files) write(text);
    return EXIT.done;
  });
}

export function runMemoryDiff(name: string, flags: MemoryFlags): Promise<number> {
  return inFolder(flags, async (memory) => {
    const diff = await memory.diff(name, flags);
    if (flags.json) return printResult(diff);
    if (!diff.ok) return failWith(memory, diff);
    if (diff.text === '') printToStderr([describeNoDifference(diff.name ?? name, diff)]);
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
    if (to !== undefined) return usageError('--list shows all backups: leave out the name of one');
    const found = await memory.backups(name, { scope });
    if (json) return printResult(found);
    return found.ok ? print(describeBackups(found.name ?? name, found.backups)) : failWith(memory, found);
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
  if (json) return printResult(done);
  if (!done.ok) return failWith(memory, done);
  return print(describeChanged(how, done.name ?? wanted, done, 'coppice memory rollback'));
}

async function inFolder({ trust = false }: MemoryFlags, work: (memory: Memory) => Promise<number>): Promise<number> {
  const opened = await openFolderMemory({ cwd: process.cwd(), ...(trust ? { trust } : {}) });
  return opened.ok ? work(opened.memory) : explainOpenFailure(opened);
}

function write(text: string): void {
  if (!process.stdout.isTTY) process.stdout.write(text);
  else if (text !== '') process.stdout.write(`${stripControls(text).replace(/\n$/, '')}\n`);
}

type Failed = { readonly reason: string; readonly name?: string };

/** Prints warnings too: an agent that is not found may be in an unreadable file. */
function failWith({ warnings }: Memory, failed: Failed): number {
  if (failed.name === undefined) printToStderr(warnings);
  return fail(failed.reason, { code: codeOf(failed) });
}

function printResult(result: OfMemory<{ readonly ok: boolean }>): number {
  return printJson(result, result.ok ? EXIT.done : codeOf(result));
}

/** A usage error if the memory is not known: a wrong name, or a wrong folder. */
function codeOf({ name }: { readonly name?: string }): number {
  return name === undefined ? EXIT.usage : EXIT.error;
}

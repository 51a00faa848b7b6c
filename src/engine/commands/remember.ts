/** Adds a line that the user typed (`#`) to a file of instructions, or to the notes of the agent that the session runs as. */

import { basename, dirname, join } from 'node:path';
import { isWithin } from '../../config/path-within.js';
import { configDir } from '../../config/paths.js';
import type { JudgedAgent } from '../../gate/requester.js';
import { errorCode, type FileStat, type HeldFolder } from '../../host/files.js';
import { excludeFromGit } from '../../host/git/exclude-from-git.js';
import { MEMORY_FILE } from '../../protocol/agent-spawned.js';
import type { CommandOf } from '../../protocol/commands.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import type { Engine } from '../engine.js';
import type { Remembered } from './command-results.js';

/** More is not read as instructions either. */
const MOST_BYTES = 4 * 1024 * 1024;
const TRIES = 5;

export async function remember(engine: Engine, { text, where }: CommandOf<'remember'>): Promise<Remembered> {
  const line = text.replace(/\s*\r?\n\s*/g, ' ').trim();
  if (line === '') return { ok: false, reason: 'no text after the #' };
  if (line.includes('\0')) return { ok: false, reason: 'the text contains a NUL character' };
  if (where === 'agent') return rememberNote(engine, line);
  const target = await findTarget(engine, where);
  if (!target.ok) return target;
  const refusal = await refuse(engine, target.file);
  if (refusal !== undefined) return { ok: false, reason: refusal };
  const done = await addLine(engine, target.file, line);
  if (!done.ok) return done;
  const { host, projectRoot } = engine.runtime;
  const note = where === 'local' ? await excludeFromGit(host, projectRoot, [`/${LOCAL}`]) : undefined;
  await reload(engine, note === undefined ? [] : [note]);
  return done;
}

const LOCAL = 'CLAUDE.local.md';

type Target = Result<{ readonly file: string }>;

/** Resolves links. A link of the project must not lead out of it. */
async function findTarget({ runtime }: Engine, where: 'project' | 'local' | 'user'): Promise<Target> {
  const { host, projectRoot } = runtime;
  const path = await pathFor(runtime, where);
  if ((await host.files.lstat(path)) === undefined) return { ok: true, file: path };
  const file = await host.files.realpath(path).catch(() => undefined);
  if (file === undefined) return { ok: false, reason: `${path} is a link to nothing` };
  const root = await host.files.realpath(projectRoot);
  if (where === 'user' || isWithin(root, file)) return { ok: true, file };
  return { ok: false, reason: `${path} leads out of the project, to ${file}. Nothing was written` };
}

/** The project's file that is already read: a new `CLAUDE.md` would hide an `AGENTS.md`. */
async function pathFor({ host, projectRoot }: Engine['runtime'], where: 'project' | 'local' | 'user'): Promise<string> {
  if (where === 'user') return join(configDir(host.env), 'CLAUDE.md');
  if (where === 'local') return join(projectRoot, LOCAL);
  const known = ['CLAUDE.md', join('.claude', 'CLAUDE.md'), 'AGENTS.md'].map((name) => join(projectRoot, name));
  for (const path of known) if ((await host.files.lstat(path)) !== undefined) return path;
  return join(projectRoot, 'CLAUDE.md');
}

/** A deny rule still denies. Nothing is asked: you typed it yourself. */
async function refuse({ runtime }: Engine, path: string): Promise<string | undefined> {
  const { host, roots, worktree } = runtime;
  const user: JudgedAgent = {
    type: MAIN_AGENT,
    mode: 'default',
    readOnly: false,
    limits: undefined,
    roots,
    worktree,
    folder: host.folder,
    cwd: host.folder,
    files: host.files.sync,
  };
  const call = { id: '', tool: 'Edit', input: { file_path: path }, actions: [{ kind: 'edit', path } as const] };
  const { decision } = await runtime.ports.gate.decide(user, call);
  return decision.behavior === 'deny' ? decision.reason : undefined;
}

async function rememberNote(engine: Engine, line: string): Promise<Remembered> {
  const { memory } = (await engine.ready()).requester;
  if (memory === undefined) return { ok: false, reason: 'the session does not run as an agent with a memory' };
  const { ports } = engine.runtime;
  await ports.memory.prepared(memory.folder);
  const done = await ports.memory.withLock(memory, () => addLine(engine, join(memory.folder, MEMORY_FILE), line));
  return done.ok ? done.value : done;
}

/** Leaves the rest of the file as it is, including concurrent changes. */
async function addLine({ runtime: { host } }: Engine, file: string, line: string): Promise<Remembered> {
  try {
    await host.files.makeFolder(dirname(file));
    const folder = await host.files.holdFolder(await host.files.realpath(dirname(file)));
    try {
      for (let tried = 1; ; tried += 1) {
        const now = await readNow(folder, basename(file));
        if ('reason' in now) return { ok: false, reason: `${file}: ${now.reason}. Nothing was written` };
        try {
          await folder.replace(basename(file), withLine(now.text, line), { mode: 0o644, was: now.was });
          return { ok: true, file };
        } catch (error) {
          if (errorCode(error) !== 'ESTALE' || tried === TRIES) throw error;
        }
      }
    } finally {
      await folder.close();
    }
  } catch (error) {
    return { ok: false, reason: `${file} could not be written: ${reasonOf(error)}` };
  }
}

type Now = { readonly text: string; readonly was: FileStat | 'nothing' } | { readonly reason: string };

async function readNow(folder: HeldFolder, name: string): Promise<Now> {
  if ((await folder.lstat(name)) === undefined) return { text: '', was: 'nothing' };
  const handle = await folder.openRead(name);
  try {
    const was = await handle.stat();
    if (was.kind !== 'file') return { reason: 'not a file' };
    if (was.size > MOST_BYTES) return { reason: 'the file is too large' };
    const bytes = await handle.read(0, was.size);
    const text = bytes.toString('utf8');
    return Buffer.from(text).equals(bytes) ? { text, was } : { reason: 'not UTF-8 text' };
  } finally {
    await handle.close();
  }
}

function withLine(text: string, line: string): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const before = text === '' || text.endsWith('\n') ? text : `${text}${end}`;
  return `${before}${/^[-*#] /.test(line) ? line : `- ${line}`}${end}`;
}

/** Reloads the instructions, so that the next prompt announces the change, even right after the session was opened. */
async function reload({ runtime, parts }: Engine, lines: readonly string[]): Promise<void> {
  const warnings = await parts.config.instructions.readAgain();
  for (const line of [...lines, ...warnings]) {
    const event = { kind: 'line-shown', level: 'warning', line: escapeToLine(line) } as const;
    runtime.listeners.notify({ agent: MAIN_AGENT, seq: undefined, event });
  }
}

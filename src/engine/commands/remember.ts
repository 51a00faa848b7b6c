/** Adds a line to a file of instructions, or to the notes of the agent that the session runs as (`#`): the person's own words. */

import { basename, dirname, join } from 'node:path';
import { configDir } from '../../config/paths.js';
import { isInside } from '../../context/folders.js';
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
  if (line === '') return { ok: false, reason: 'there is nothing to remember after the #' };
  if (line.includes('\0')) return { ok: false, reason: 'a line of instructions can have no NUL character' };
  if (where === 'agent') return rememberNote(engine, line);
  const place = await findPlace(engine, where);
  if (!place.ok) return place;
  const refusal = await whyNot(engine, place.file);
  if (refusal !== undefined) return { ok: false, reason: refusal };
  const done = await addLine(engine, place.file, line);
  if (!done.ok) return done;
  const { host, projectRoot } = engine.runtime;
  const note = where === 'local' ? await excludeFromGit(host, projectRoot, [`/${LOCAL}`]) : undefined;
  await lookAgain(engine, note === undefined ? [] : [note]);
  return done;
}

const LOCAL = 'CLAUDE.local.md';

type Place = Result<{ readonly file: string }>;

/** Where a link leads. One of the project's must not lead out of it. */
async function findPlace({ runtime }: Engine, where: 'project' | 'local' | 'user'): Promise<Place> {
  const { host, projectRoot } = runtime;
  const path = await pathFor(runtime, where);
  if ((await host.files.lstat(path)) === undefined) return { ok: true, file: path };
  const file = await host.files.realpath(path).catch(() => undefined);
  if (file === undefined) return { ok: false, reason: `${path} is a link to nothing` };
  const root = await host.files.realpath(projectRoot);
  if (where === 'user' || isInside(root, file)) return { ok: true, file };
  return { ok: false, reason: `${path} leads out of the project, to ${file}; nothing was written` };
}

/** The project's file that is read already: a new `CLAUDE.md` would hide an `AGENTS.md`. */
async function pathFor({ host, projectRoot }: Engine['runtime'], where: 'project' | 'local' | 'user'): Promise<string> {
  if (where === 'user') return join(configDir(host.env), 'CLAUDE.md');
  if (where === 'local') return join(projectRoot, LOCAL);
  const known = ['CLAUDE.md', join('.claude', 'CLAUDE.md'), 'AGENTS.md'].map((name) => join(projectRoot, name));
  for (const path of known) if ((await host.files.lstat(path)) !== undefined) return path;
  return join(projectRoot, 'CLAUDE.md');
}

/** What a rule denies stays denied. Nothing is asked: it is the person's word. */
async function whyNot({ runtime }: Engine, path: string): Promise<string | undefined> {
  const { host, roots, worktree } = runtime;
  const person: JudgedAgent = {
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
  const { decision } = await runtime.ports.gate.decide(person, call);
  return decision.behavior === 'deny' ? decision.reason : undefined;
}

async function rememberNote(engine: Engine, line: string): Promise<Remembered> {
  const { memory } = (await engine.ready()).requester;
  if (memory === undefined) return { ok: false, reason: 'the session runs as no agent that has a memory' };
  const { ports } = engine.runtime;
  await ports.memory.prepared(memory.folder);
  const done = await ports.memory.withLock(memory, () => addLine(engine, join(memory.folder, MEMORY_FILE), line));
  return done.ok ? done.value : done;
}

/** Everything else in the file stays, also what somebody else writes meanwhile. */
async function addLine({ runtime: { host } }: Engine, file: string, line: string): Promise<Remembered> {
  try {
    await host.files.makeFolder(dirname(file));
    const folder = await host.files.holdFolder(await host.files.realpath(dirname(file)));
    try {
      for (let tried = 1; ; tried += 1) {
        const now = await readNow(folder, basename(file));
        if ('reason' in now) return { ok: false, reason: `${file}: ${now.reason}; nothing was written` };
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
    if (was.kind !== 'file') return { reason: 'it is no file' };
    if (was.size > MOST_BYTES) return { reason: 'it is too large' };
    const bytes = await handle.read(0, was.size);
    const text = bytes.toString('utf8');
    return Buffer.from(text).equals(bytes) ? { text, was } : { reason: 'it is no text in UTF-8' };
  } finally {
    await handle.close();
  }
}

function withLine(text: string, line: string): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const before = text === '' || text.endsWith('\n') ? text : `${text}${end}`;
  return `${before}${/^[-*#] /.test(line) ? line : `- ${line}`}${end}`;
}

/** So that the next prompt tells of it, also right after the session was opened. */
async function lookAgain({ runtime, parts }: Engine, lines: readonly string[]): Promise<void> {
  const warnings = await parts.config.instructions.readAgain();
  for (const line of [...lines, ...warnings]) {
    const event = { kind: 'line-shown', level: 'warning', line: escapeToLine(line) } as const;
    runtime.listeners.notify({ agent: MAIN_AGENT, seq: undefined, event });
  }
}

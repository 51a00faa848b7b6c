/** The memory of a session's agents: provided at their start, prepared while they run, and changed by one at a time. */

import type { Equipment, EquipRequest } from '../../agents/feature.js';
import { approvalHash, openTrust } from '../../config/trust.js';
import { findMemory, findMemoryAgain, type MemoryFolder } from '../../context/memory/find-memory.js';
import { keepMemoryOut } from '../../context/memory/keep-memory-out.js';
import { memoryChanged, memorySection } from '../../context/memory/memory.text.js';
import { type MemoryText, memoryHash, readMemory } from '../../context/memory/read-memory.js';
import { type InspectedSnapshot, inspectSnapshot } from '../../context/memory/snapshots/inspect-snapshot.js';
import { recoverMemory, withMemoryLock } from '../../context/memory/snapshots/memory-lock.js';
import { declineMemory, initialiseMemory, takeMemory } from '../../context/memory/snapshots/take-memory.js';
import type { Gate } from '../../gate/gate.js';
import type { Requester } from '../../gate/requester.js';
import { newAbort } from '../../host/clock.js';
import type { Host } from '../../host/host.js';
import { type AgentMemory, MEMORY_TOPIC } from '../../protocol/agent-spawned.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { namedInput } from '../../protocol/tools/built-in-tools.js';
import type { Tool } from '../../tools/tool.js';

export type MemoryOptions = {
  readonly host: Host;
  /** The main checkout of the project, or the session's folder outside one (ME-6). */
  readonly root: string;
  /** The user trusts the project: its notes may be read (ME-9). */
  readonly trusted: boolean;
  /** With `--trust`: nothing of the project is asked about in this run. */
  readonly trustsThisRun: boolean;
  readonly gate: Pick<Gate, 'confirm'>;
};

export type MemoryRequest = EquipRequest & {
  /** All agent types. */
  readonly known: readonly string[];
  /** The session's tools. */
  readonly all: readonly Tool[];
};

export class SessionMemory {
  readonly #options: MemoryOptions;
  /** The memory folders of this session's agents. */
  readonly #places = new Map<string, MemoryFolder>();
  /**
   * Decisions about snapshots in this session, by folder, time and state: one question even if several agents start.
   */
  readonly #settled = new Map<string, Promise<readonly string[]>>();
  /** Preparations in the background, by folder. None rejects. */
  readonly #preparing = new Map<string, Promise<void>>();
  /** Exclusion from version control, by enclosing folder. */
  readonly #excluded = new Map<string, Promise<string | undefined>>();
  /** Decisions about your own notes in this session, by the hash of the agent's approval. */
  readonly #shared = new Map<string, Promise<'yes' | 'no' | 'nobody'>>();
  /** Folders that are being filled from the team's snapshot. */
  readonly #coming = new Set<string>();

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  /** Never waits for a folder to be created (ME-10). Never rejects. */
  async equip(request: MemoryRequest): Promise<Equipment | undefined> {
    const { definition, known, tools, readOnly } = request;
    const { host, root } = this.#options;
    const { memory: scope, name: type } = definition;
    if (scope === undefined) return undefined;
    const nothing = { tools, system: [], record: {}, announcements: {} };
    const without = (reason: string) => ({ ...nothing, lines: [`${type} works without its memory: ${reason}`] });
    if (!definition.source.trusted || (scope !== 'user' && !this.#options.trusted)) return without(UNTRUSTED);
    try {
      const found = await findMemory(host, { scope, type, known, root });
      if (!found.ok) return without(found.reason);
      const { place } = found;
      const unshared = await this.#whyNotShared(place, request);
      if (unshared !== undefined) return without(unshared);
      this.#places.set(place.folder, place);
      const lines = [...(await this.#settle(place, request))];
      const now = await this.#readFirst(place);
      if (now.kind === 'refused') lines.push(`${type} starts without its notes: ${now.reason}`);
      const { folder, isPrivate } = place;
      const added = memoryTools(request);
      const memory: AgentMemory = { scope, folder, tools: added.map(({ name }) => name), isPrivate };
      return {
        tools: request.all.filter((tool) => tools.includes(tool) || added.includes(tool)),
        system: [memorySection({ memory, now, readOnly })],
        record: { memory },
        announcements: { [MEMORY_TOPIC]: memoryHash(now) },
        lines,
      };
    } catch (error) {
      return without(reasonOf(error));
    }
  }

  /**
   * The reason why a project's agent must not use your own notes: you did not approve its definition. Its name alone would
   * give it the notes of your agent of the same name (GT-3).
   */
  async #whyNotShared({ scope, folder }: MemoryFolder, request: MemoryRequest): Promise<string | undefined> {
    const { definition, requester, signal } = request;
    const { host, root, gate, trustsThisRun } = this.#options;
    const { name, source } = definition;
    if (scope !== 'user' || source.scope !== 'project' || trustsThisRun) return undefined;
    const summary = `uses your notes in ${folder}`;
    const approval = { kind: 'agent', name: `agent ${name}`, value: { folder, definition }, summary } as const;
    const trust = openTrust(host);
    if ((await trust.approvals(root)).has(approval)) return undefined;
    const hash = approvalHash(approval);
    const reason = `Let ${name}, an agent of this project (${source.file}), read and change your own notes in ${folder}? No: it works without them.`;
    const call = namedInput('Agent', { subagent_type: name, memory: folder });
    const ask = async () =>
      requester === undefined ? 'nobody' : gate.confirm({ about: 'memory-snapshot', reason, call }, requester, signal);
    const asked = this.#shared.get(hash) ?? ask();
    this.#shared.set(hash, asked);
    const answer = await asked;
    if (answer === 'yes') await trust.approve(root, [approval]);
    if (answer === 'nobody') this.#shared.delete(hash);
    return answer === 'yes' ? undefined : UNSHARED;
  }

  /** The current notes, and the announcement for an agent that was given other ones. */
  async read(memory: AgentMemory) {
    const { host } = this.#options;
    // If a crash cut off a change between two steps, the folder is missing.
    await recoverMemory(host, await this.#placeOf(memory));
    const now = await readMemory(host.files, memory.folder);
    const version = now.kind === 'read' ? { version: now.version } : {};
    return { hash: memoryHash(now), changed: memoryChanged(now), ...version };
  }

  /** Resolves when the team's snapshot is in place, or can't be. Never rejects. */
  async prepared(folder: string): Promise<void> {
    await this.#preparing.get(folder);
  }

  /** Runs `work` while nothing else changes the folder, in this process or another. */
  async inTurn<T>(memory: AgentMemory, work: () => Promise<T>) {
    return withMemoryLock(this.#options.host, await this.#placeOf(memory), work);
  }

  /** Of a resumed agent, only the record is known. */
  async #placeOf(memory: AgentMemory): Promise<MemoryFolder> {
    const { host, root } = this.#options;
    return this.#places.get(memory.folder) ?? findMemoryAgain(host, memory, root);
  }

  /** Waits for what is in progress. */
  async close(): Promise<void> {
    const { clock } = this.#options.host;
    const isOver = newAbort();
    const done = Promise.all(this.#preparing.values()).finally(() => isOver.abort());
    // An unresponsive mount must not prevent the session from closing.
    await Promise.race([done, clock.sleep(LONGEST_CLOSE_MS, isOver.signal)]);
  }

  /** Its own notes, or the team's snapshot while that is being copied. */
  async #readFirst(place: MemoryFolder): Promise<MemoryText> {
    const { files } = this.#options.host;
    const now = await readMemory(files, place.folder);
    if (now.kind !== 'absent' || place.snapshot === undefined || !this.#coming.has(place.folder)) return now;
    return readMemory(files, place.snapshot.folder);
  }

  async #settle(place: MemoryFolder, request: MemoryRequest): Promise<readonly string[]> {
    if (place.scope !== 'local') return [];
    await recoverMemory(this.#options.host, place);
    const seen = await inspectSnapshot(this.#options.host, place);
    const key = [place.folder, seen.state, seen.updatedAt].join('\0');
    const known = this.#settled.get(key);
    // The message was for the first one only.
    if (known !== undefined) return known.then(() => []);
    const settling = this.#settleSnapshot(place, seen, request);
    this.#settled.set(key, settling);
    return settling;
  }

  async #settleSnapshot(
    place: MemoryFolder,
    { state, why }: InspectedSnapshot,
    { definition, requester, signal }: MemoryRequest,
  ): Promise<readonly string[]> {
    const { host } = this.#options;
    if (state === 'initialise' || !this.#preparing.has(place.folder)) {
      this.#prepare(place, state === 'initialise', requester);
    }
    if (state !== 'ask') return [];
    const type = definition.name;
    const answer = requester === undefined ? 'nobody' : await this.#ask(place, why, requester, signal);
    switch (answer) {
      case 'yes':
        return linesOf(await takeMemory(host, place));
      case 'no':
        return linesOf(await declineMemory(host, place));
      case 'nobody':
        return [
          `${type} keeps its own notes; the team's are others (${why}). Look and choose: coppice memory diff ${type}, then take, merge or decline`,
        ];
      default:
        return answer satisfies never;
    }
  }

  #ask(place: MemoryFolder, why: string, requester: Requester, signal: AbortSignal): Promise<'yes' | 'no' | 'nobody'> {
    const { gate } = this.#options;
    const reason = `Take the team's notes for ${place.type} (${why})? Your own are kept next to them; no: they stay in use, and you are not asked about these again.`;
    return gate.confirm(
      {
        about: 'memory-snapshot',
        reason,
        call: namedInput('Agent', { subagent_type: place.type, memory: place.folder }),
      },
      requester,
      signal,
    );
  }

  /** All agents' folders share one parent, so it is reported only once. */
  async #exclude(place: MemoryFolder): Promise<string | undefined> {
    const { host, root } = this.#options;
    const known = this.#excluded.get(place.parent);
    if (known !== undefined) return known.then(() => undefined);
    const keeping = keepMemoryOut(host, root, place);
    this.#excluded.set(place.parent, keeping);
    return keeping;
  }

  /** Runs in the background: no start waits for a folder to be created (ME-10). */
  #prepare(place: MemoryFolder, initialise: boolean, requester: Requester | undefined): void {
    const { host } = this.#options;
    const work = async () => {
      const note = await this.#exclude(place);
      const lines = [
        ...(note === undefined ? [] : [note]),
        ...(initialise ? linesOf(await initialiseMemory(host, place)) : []),
      ];
      for (const line of lines) await requester?.notify({ kind: 'line-shown', level: 'warning', line });
    };
    if (initialise) this.#coming.add(place.folder);
    const done = work().catch(() => {});
    this.#preparing.set(
      place.folder,
      done.then(() => void this.#coming.delete(place.folder)),
    );
  }
}

const LONGEST_CLOSE_MS = 2_000;

const UNTRUSTED =
  "this folder is not trusted, and its notes are the project's (look at the project, then run coppice trust)";

const UNSHARED =
  'it is an agent of the project, and its notes would be your own. Approve that in a terminal, or pass --trust for this run';

const MEMORY_TOOLS = ['Read', 'Write', 'Edit'];

/** The tools that its definition does not grant: it gets them for this folder alone (ME-1). */
function memoryTools({ all, tools, readOnly }: MemoryRequest): readonly Tool[] {
  const needed = readOnly ? ['Read'] : MEMORY_TOOLS;
  return all.filter((tool) => needed.includes(tool.name) && !tools.includes(tool));
}

function linesOf(done: Awaited<ReturnType<typeof takeMemory>>): string[] {
  return done.ok ? [...done.notes] : [done.reason];
}

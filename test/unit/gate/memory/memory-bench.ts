/** An agent with notes, through the real gate and the real tools, in folders of its own with an outside next to them. */

import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { memoryLock } from '../../../../src/config/memory-paths.js';
import { createGate, type Gate, type GateOptions, type Judgement } from '../../../../src/gate/gate.js';
import type { JudgedAgent } from '../../../../src/gate/requester.js';
import type { Host } from '../../../../src/host/host.js';
import { withLock } from '../../../../src/host/locks/with-lock.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { outcomeText } from '../../../../src/protocol/outcome.js';
import { editTool } from '../../../../src/tools/edit/edit.js';
import { writeTool } from '../../../../src/tools/edit/write.js';
import { FilesRead } from '../../../../src/tools/files-read.js';
import { pathContextOf } from '../../../../src/tools/path-context.js';
import { readTool } from '../../../../src/tools/read/read.js';
import type { Tool, ToolContext } from '../../../../src/tools/tool.js';
import { scratchFolder } from '../../../support/scratch.js';

/** In every file outside; in no result and no note. */
export const CANARY = 'canary-7f3a';

export const [read, write, edit] = [readTool, writeTool, editTool] as unknown as readonly [Tool, Tool, Tool];

export type Said = { readonly refused: boolean; readonly text: string };

export type MemoryBench = {
  /** Everything: the project, the home, the outside. */
  readonly top: string;
  /** The folder of its notes. */
  readonly memory: string;
  /** Files that hold the canary, next to the notes and elsewhere. */
  readonly outside: string;
  readonly host: Host;
  readonly gate: Gate;
  readonly agent: JudgedAgent;
  decide(tool: Tool, input: object, agent?: JudgedAgent): Promise<Judgement>;
  /** Judged, then run with what was judged. `between` happens in between. */
  call(tool: Tool, input: object, more?: CallOptions): Promise<Said>;
};

export type CallOptions = {
  readonly agent?: JudgedAgent;
  readonly context?: Partial<ToolContext>;
  readonly between?: () => void | Promise<void>;
};

export type BenchOptions = {
  /** With the lock between processes, which takes most of the time of a write. */
  readonly isLocked?: boolean;
  readonly box?: GateOptions['box'];
};

export async function makeMemoryBench({ isLocked = true, box }: BenchOptions = {}): Promise<MemoryBench> {
  const top = await scratchFolder();
  const [project, home, outside] = ['project', 'home', 'outside'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  const memory = join(project, '.claude/agent-memory-local/mem');
  for (const folder of [memory, home, outside, `${memory}-evil`, join(home, '.ssh')])
    await mkdir(folder, { recursive: true });
  for (const path of [
    join(outside, 'secret.md'),
    join(outside, 'MEMORY.md'),
    join(`${memory}-evil`, 'x.md'),
    join(home, '.ssh/id_rsa'),
    join(project, 'a.md'),
  ]) {
    await writeFile(path, `${CANARY}\n`);
  }
  const host = nodeHost(project, { PATH: process.env.PATH, HOME: home, COPPICE_HOME: join(home, '.coppice') });
  const gate = createGate({
    host,
    projectRoot: project,
    rules: [],
    trusted: true,
    readRoots: [],
    editsAgreed: undefined,
    acceptEdits: async () => {},
    warn: () => {},
    ...(box ? { box } : {}),
  });
  const agent: JudgedAgent = {
    type: 'mem',
    mode: 'default',
    readOnly: false,
    limits: undefined,
    roots: [project],
    folder: project,
    // Relative paths are meant in its notes.
    cwd: memory,
    files: host.files.sync,
    memory: { scope: 'local', folder: memory, tools: ['Read', 'Write', 'Edit'], isPrivate: true },
  };
  const context: ToolContext = {
    host,
    signal: new AbortController().signal,
    callId: 'toolu_1',
    agentId: 'a1',
    files: new FilesRead(),
    shell: { cwd: memory },
    roots: agent.roots,
    todos: { items: [] },
    memory: {
      folder: memory,
      isPrivate: true,
      prepared: async () => {},
      inTurn: async (work) =>
        isLocked ? withLock(host, memoryLock(host.env, memory), work) : { ok: true, value: await work() },
    },
    keepOutput: async () => join(top, 'kept'),
    outputPath: async () => join(top, 'kept'),
    progress: () => {},
  };
  const declare = (tool: Tool, input: unknown) => ({
    id: 'toolu_1',
    tool: tool.name,
    input,
    actions: tool.declare(input, pathContextOf(context)),
  });
  return {
    top,
    memory,
    outside,
    host,
    gate,
    agent,
    decide: (tool, input, by = agent) => gate.decide(by, declare(tool, input)),
    call: async (tool, input, { agent: by = agent, context: changes = {}, between } = {}) => {
      const parsed = tool.parse(input);
      if (!parsed.ok) return { refused: true, text: parsed.reason };
      const { decision, realPaths } = await gate.decide(by, declare(tool, parsed.input));
      await between?.();
      if (decision.behavior !== 'allow') return { refused: true, text: decision.reason };
      const outcome = await tool.run(parsed.input, { ...context, judged: realPaths, ...changes });
      return { refused: outcome.isError, text: outcomeText(outcome) };
    },
  };
}

/** Everything in a folder but the notes, and our own: kinds, modes, targets and contents. */
export function outsideOf({ top, memory }: Pick<MemoryBench, 'top' | 'memory'>): Readonly<Record<string, string>> {
  const seen: Record<string, string> = {};
  const look = (folder: string) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (path === memory || path === join(top, 'home/.coppice')) continue;
      const stat = lstatSync(path);
      const kind = stat.isSymbolicLink() ? readlinkSync(path) : stat.isFile() ? readFileSync(path, 'utf8') : 'other';
      seen[path.slice(top.length)] = `${stat.mode.toString(8)} ${stat.isFile() ? stat.nlink : ''} ${kind}`;
      if (stat.isDirectory()) look(path);
    }
  };
  look(top);
  return seen;
}

/** Calls with one path: reading it, writing it again, changing what is there. */
export function tries(file_path: string): readonly (readonly [Tool, object])[] {
  return [
    [read, { file_path }],
    [write, { file_path, content: 'mine' }],
    [edit, { file_path, old_string: '', new_string: 'mine' }],
    [edit, { file_path, old_string: CANARY, new_string: 'mine' }],
  ];
}

export async function put(path: string, content: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

/** A real context for tools in a temporary folder, with everything cleaned up afterwards. */

import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Environment } from '../../../src/host/host.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { outcomeText, type ToolOutcome } from '../../../src/protocol/outcome.js';
import { boundOutcome } from '../../../src/tools/bounds.js';
import { FilesRead } from '../../../src/tools/files-read.js';
import { pathContextOf } from '../../../src/tools/path-context.js';
import type { Tool, ToolContext } from '../../../src/tools/tool.js';

export type Bench = {
  /** The agent's root. */
  readonly root: string;
  /** A folder beside the root that nothing may touch. */
  readonly outside: string;
  /** Where kept output goes. */
  readonly results: string;
  readonly context: ToolContext;
  readonly progress: string[];
  path(name: string): string;
  write(name: string, content: string | Uint8Array): Promise<string>;
  read(name: string): string;
  /** Parses, runs and bounds, as the loop does. */
  call(tool: Tool, input: unknown, more?: Partial<ToolContext>): Promise<ToolOutcome>;
  say(tool: Tool, input: unknown, more?: Partial<ToolContext>): Promise<string>;
};

export async function makeBench(env: Environment = {}): Promise<Bench> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'tools-')));
  // Not in an afterEach of this module: modules are shared, and only the first test file would have it.
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const [root, outside, results] = ['root', 'outside', 'results'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [root, outside, results]) await mkdir(folder);
  let kept = 0;
  const progress: string[] = [];
  const context: ToolContext = {
    host: nodeHost(root, { PATH: process.env.PATH, HOME: join(top, 'home'), LANG: 'C.UTF-8', ...env }),
    signal: new AbortController().signal,
    callId: 'toolu_1',
    agentId: 'main',
    files: new FilesRead(),
    shell: { cwd: root },
    roots: [root],
    todos: { items: [] },
    keepOutput: async (name, content) => {
      const path = join(results, `${kept++}-${basename(name)}`);
      await writeFile(path, content);
      return path;
    },
    outputPath: async (name) => join(results, `${kept++}-${basename(name)}`),
    progress: (line) => progress.push(line),
  };
  const call: Bench['call'] = async (tool, input, more = {}) => {
    const parsed = tool.parse(input);
    if (!parsed.ok) return { isError: true, content: [{ type: 'text', text: parsed.reason }] };
    const here = { ...context, ...more };
    tool.declare(parsed.input, pathContextOf(here));
    return boundOutcome(await tool.run(parsed.input, here), here, tool.maxResultChars);
  };
  return {
    root,
    outside,
    results,
    context,
    progress,
    path: (name) => join(root, name),
    write: async (name, content) => {
      const path = join(root, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
    read: (name) => readFileSync(join(root, name), 'utf8'),
    call,
    say: async (tool, input, more) => outcomeText(await call(tool, input, more)),
  };
}

/** Pids of living processes whose command line contains `mark`. */
export function processesWith(mark: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(mark);
      } catch {
        return false;
      }
    });
}

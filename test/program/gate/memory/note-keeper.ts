/**
 * A process of its own that keeps notes with the real tools: argv is a list of jobs as JSON. `write`: writes these notes. `append`:
 * adds lines to a note, each by reading and changing it, again when it was changed meanwhile.
 */

import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { memoryLock } from '../../../../src/config/memory-paths.js';
import { withLock } from '../../../../src/host/locks/with-lock.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { outcomeText } from '../../../../src/protocol/outcome.js';
import { editTool } from '../../../../src/tools/edit/edit.js';
import { writeTool } from '../../../../src/tools/edit/write.js';
import { FilesRead } from '../../../../src/tools/files-read.js';
import { readTool } from '../../../../src/tools/read/read.js';
import type { OwnMemory, ToolContext } from '../../../../src/tools/tool.js';

export type Job = {
  readonly home: string;
  readonly memory: Pick<OwnMemory, 'folder' | 'isPrivate' | 'shared'>;
  readonly umask?: number;
  readonly write?: readonly string[];
  /** Takes the turn, and keeps it for ever. */
  readonly hold?: boolean;
  readonly append?: { readonly note: string; readonly tag: string; readonly times: number };
};

/** The work of one agent. */
export async function keepNotes(
  { home, memory, write = [], append, hold }: Job,
  say: (line: string) => void,
): Promise<void> {
  const host = nodeHost(home, { HOME: home, PATH: process.env.PATH });
  const context: ToolContext = {
    host,
    signal: new AbortController().signal,
    callId: 'toolu_1',
    agentId: 'a1',
    files: new FilesRead(),
    shell: { cwd: home },
    roots: [home],
    todos: { items: [] },
    memory: {
      ...memory,
      prepared: async () => {},
      inTurn: (work) => withLock(host, memoryLock(host.env, memory.folder), work),
    },
    keepOutput: async () => '',
    outputPath: async () => '',
    progress: () => {},
  };
  for (const name of write) {
    const file_path = join(memory.folder, name);
    await readTool.run({ file_path }, context);
    const outcome = await writeTool.run({ file_path, content: `of ${process.pid}\n` }, context);
    if (outcome.isError) throw new Error(outcomeText(outcome));
  }
  if (hold === true) {
    await context.memory?.inTurn(async () => {
      say('held');
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    });
  }
  if (append === undefined) return;
  const file_path = join(memory.folder, append.note);
  for (let nth = 0; nth < append.times; ) {
    await readTool.run({ file_path }, context);
    const seen = readFileSync(file_path, 'utf8');
    const new_string = `${append.tag} ${nth}\nend\n`;
    // By turns a change of one place, and the whole again, from what was seen.
    const outcome =
      nth % 2 === 0
        ? await editTool.run({ file_path, old_string: 'end\n', new_string }, context)
        : await writeTool.run({ file_path, content: seen.replace(/end\n$/, new_string) }, context);
    if (outcome.isError && !/has changed since|changed while/.test(outcomeText(outcome)))
      throw new Error(outcomeText(outcome));
    if (outcome.isError) continue;
    say(`${append.tag} ${nth}`);
    nth += 1;
  }
}

/** As a program. */
if (process.argv[2] === '--keep') {
  for (const job of JSON.parse(process.argv[3] ?? '') as Job[]) {
    if (job.umask !== undefined) process.umask(job.umask);
    await keepNotes(job, (line) => void writeSync(1, `${line}\n`));
  }
}

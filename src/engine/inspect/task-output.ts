/** The end of a task's output: of a background command its output, of an agent its progress, line by line. */

import { listTasks } from '../../agents/tools/list-tasks.js';
import { errorCode } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import type { CommandOf } from '../../protocol/commands.js';
import type { TaskOutput } from '../commands/command-results.js';
import type { Engine } from '../engine.js';

const MOST_BYTES = 256 * 1024;

export async function taskOutput({ runtime }: Engine, { task }: CommandOf<'task-output'>): Promise<TaskOutput> {
  const found = listTasks(runtime).find(({ id }) => id === task);
  if (found === undefined) return { ok: false, reason: `no task ${task} in this session` };
  const { status, outputFile } = found;
  const written = await readEnd(runtime.host, outputFile);
  if (written !== undefined) return { ok: true, status, ...written };
  // While a call waits for an agent, its progress is only in memory.
  const lines = runtime.agents.get(task)?.output.recent(Number.MAX_SAFE_INTEGER) ?? [];
  const whole = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return { ok: true, status, ...endOf(whole, whole.length) };
}

type End = { readonly output: string; readonly bytes: number; readonly isCut: boolean };

async function readEnd({ files }: Host, path: string): Promise<End | undefined> {
  try {
    const handle = await files.openRead(path);
    try {
      const { size } = await handle.stat();
      return endOf(await handle.read(Math.max(0, size - MOST_BYTES), MOST_BYTES), size);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function endOf(read: Buffer, bytes: number): End {
  const end = read.subarray(Math.max(0, read.length - MOST_BYTES));
  const isCut = bytes > end.length;
  // A character may have been cut in two.
  const from = isCut
    ? Math.max(
        0,
        end.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80),
      )
    : 0;
  return { output: end.subarray(from).toString('utf8'), bytes, isCut };
}

/** A command that runs on by itself: its output goes to a file, and whoever keeps tasks looks after it. */

import type { RunningProcess } from '../host/processes.js';
import { failed, succeeded, type ToolOutcome } from '../protocol/outcome.js';
import { outputName } from './bounds.js';
import type { ToolContext } from './tool.js';

const MAX_FILE_BYTES = 50 * 1024 * 1024;

export async function keepRunning(
  command: string,
  process: RunningProcess,
  context: ToolContext,
): Promise<ToolOutcome> {
  if (context.keepRunning === undefined) {
    await process.end();
    return failed('Commands cannot run in the background here. Run it in the foreground, with a timeout.');
  }
  const outputFile = await context.outputPath(outputName(context.callId, 'output'));
  const drained = writeOutput(process, outputFile, context);
  const task = context.keepRunning({ command, process, outputFile, drained });
  return succeeded(
    `Started in the background as task ${task}. Its output is written to ${outputFile}. A notice comes when it ends; TaskOutput shows how it stands, TaskStop ends it.`,
  );
}

/** Both streams into one file as they come, up to a bound; the rest is counted and dropped. */
async function writeOutput(process: RunningProcess, path: string, { host }: ToolContext): Promise<void> {
  const handle = await host.files.openAppend(path);
  let bytes = 0;
  let queue: Promise<unknown> = Promise.resolve();
  const streams = [process.stdout, process.stderr].map((stream) => {
    stream.on('data', (chunk: Buffer) => {
      const room = Math.max(0, MAX_FILE_BYTES - bytes);
      bytes += chunk.length;
      if (room === 0) return;
      stream.pause();
      queue = queue.then(() => handle.write(chunk.subarray(0, room))).catch(() => {});
      void queue.then(() => stream.resume());
    });
    return new Promise<void>((resolve) => {
      stream.once('close', () => resolve());
      stream.once('end', () => resolve());
      stream.once('error', () => resolve());
    });
  });
  await Promise.all(streams);
  await queue;
  if (bytes > MAX_FILE_BYTES) await handle.write(Buffer.from(`\n[${bytes - MAX_FILE_BYTES} more bytes dropped]\n`));
  await handle.close();
}

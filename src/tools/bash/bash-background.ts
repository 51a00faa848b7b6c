/** A command that runs on by itself: from here on its output and its end belong to the keeper of tasks. */

import type { RunningProcess } from '../../host/processes.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import type { ConfinedCommand, ToolContext } from '../tool.js';

export async function keepRunning(
  command: string,
  process: RunningProcess,
  context: ToolContext,
  confined: Extract<ConfinedCommand, { ok: true }> | undefined,
): Promise<ToolOutcome> {
  if (context.keepRunning === undefined) {
    await process.end();
    await confined?.finish(await process.exit);
    return failed('Commands cannot run in the background here. Run it in the foreground, with a timeout.');
  }
  const task = context.keepRunning({
    command,
    process,
    ...(confined ? { finish: (exit) => confined.finish(exit) } : {}),
  });
  const until = task.endsWithAgent
    ? ' It is ended when you end: wait for what you need of it with TaskOutput before you give your conclusion.'
    : '';
  return succeeded(
    `Started in the background as task ${task.id}. Its output is written to ${task.outputFile}. A notice comes when it ends; TaskOutput shows how it stands, TaskStop ends it.${until}`,
  );
}

/** Moves a running command to the background, where its task owns its output and its end. */

import type { RunningProcess } from '../../host/processes.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import type { ConfinedCommand, ToolContext } from '../tool.js';
import { launchedResponse } from './bash-response.js';

export async function runInBackground(
  command: string,
  process: RunningProcess,
  context: ToolContext,
  confined: Extract<ConfinedCommand, { ok: true }> | undefined,
  /** Its output so far, if it was awaited until the user moved it. */
  printed?: Uint8Array,
): Promise<ToolOutcome> {
  if (context.keepRunning === undefined) {
    await process.end();
    await confined?.finish(await process.exit);
    return failed('Background commands are not available here. Run the command in the foreground, with a timeout.');
  }
  const task = await context.keepRunning({
    command,
    process,
    ...(printed === undefined ? {} : { printed }),
    ...(confined
      ? {
          finish: async (exit) => {
            const explained = confined.explain('', exit);
            return [...(await confined.finish(exit)), ...(explained === undefined ? [] : [explained])];
          },
        }
      : {}),
  });
  const until = task.endsWithAgent
    ? ' It is stopped when you finish: wait for the output you need with TaskOutput before you give your conclusion.'
    : '';
  const begin = printed === undefined ? 'Started' : 'The person lets it go on';
  const outcome = succeeded(
    `${begin} in the background as task ${task.id}. Its output is written to ${task.outputFile}. A notice comes when it ends; TaskOutput shows its status, TaskStop ends it.${until}`,
  );
  return { ...outcome, response: () => launchedResponse(task.id) };
}

/** A tool call that continues in the background: its result arrives as a notice. */

import { dirname } from 'node:path';
import { outcomeText } from '../../protocol/outcome.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { BackgroundCall } from '../../tools/tool.js';
import { deliverNotice, noticeText } from '../notices/notice.js';
import type { Runtime } from '../runtime.js';
import { adoptTask } from './adopt-task.js';
import type { ShellTask } from './background-shell.js';

export type StartedCall = BackgroundCall & { readonly callId: string; readonly agentId: string };

/** The limit of the result in the notice; the full result is in the output file. */
const MOST_CHARACTERS = 4_000;

export function adoptCall(runtime: Runtime, started: StartedCall): Promise<ShellTask> {
  return adoptTask(runtime, {
    agentId: started.agentId,
    callId: started.callId,
    command: started.tool,
    prefix: 'call',
    end: async () => started.cancel(),
    follow: (task) => follow(runtime, task, started),
  });
}

async function follow(runtime: Runtime, task: ShellTask, { outcome, tool }: StartedCall): Promise<void> {
  const { isError, content } = await outcome;
  const body = outcomeText({ content });
  const saved = await save(runtime, task.outputFile, body);
  task.ending = isError ? 'failed' : 'completed';
  task.status = task.stoppedBy !== undefined ? 'stopped' : isError ? 'failed' : 'completed';
  if (runtime.isClosing || task.stoppedBy === 'agent-end') return;
  const { clock } = runtime.host;
  const isLong = body.length > MOST_CHARACTERS;
  const shown = isLong ? `${body.slice(0, MOST_CHARACTERS).toWellFormed()}\n[… the rest is in the output file]` : body;
  const notice = noticeText({
    taskId: task.id,
    toolUseId: task.call,
    agent: tool,
    status: task.status,
    summary: `${tool}: ${task.ending}`,
    result: [shown, ...(saved === undefined ? [] : [`(the output file could not be written: ${saved})`])].join('\n'),
    usage: `duration: ${Math.round(clock.elapsed() - task.startedAt)} ms`,
    outputFile: task.outputFile,
  });
  await deliverNotice(runtime, task.owner, notice, { agent: task.id, run: 1 });
}

/** Returns the reason if it fails. */
async function save({ host: { files } }: Runtime, path: string, body: string): Promise<string | undefined> {
  try {
    await files.makeFolder(dirname(path), 0o700);
    await files.replace(path, body, 0o600);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

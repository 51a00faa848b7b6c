/** A shell command that runs on in the background: a task like any other, with output file, notice and stop. */

import type { RunningProcess } from '../../host/processes.js';
import type { Crew } from '../crew.js';
import { deliverNotice, noticeText } from '../notice.js';
import type { ShellTask } from './kept-shell.js';

export type StartedShell = {
  readonly callId: string;
  readonly agentId: string;
  readonly command: string;
  readonly process: RunningProcess;
  readonly outputFile: string;
  /** Resolves when all output is in the file. */
  readonly drained: Promise<void>;
};

export function adoptShell(crew: Crew, started: StartedShell): ShellTask {
  const owner = crew.members.get(started.agentId);
  if (owner === undefined) throw new Error('a command of an agent that is not there');
  const id = `sh-${crew.host.newId().slice(-8)}`;
  const task: ShellTask = {
    id,
    command: started.command,
    owner,
    call: started.callId,
    outputFile: started.outputFile,
    startedAt: crew.host.clock.elapsed(),
    status: 'running',
    stoppedBy: undefined,
    ending: undefined,
    done: Promise.resolve(),
    stop: async (by) => {
      if (task.status !== 'running') return;
      task.stoppedBy ??= by;
      await started.process.end();
      await task.done;
    },
  };
  crew.shellTasks.set(id, task);
  return Object.assign(task, { done: follow(crew, task, started) });
}

async function follow(crew: Crew, task: ShellTask, started: StartedShell): Promise<void> {
  const exit = await started.process.exit;
  // The notice comes when the processes are gone, not before.
  if (await started.process.groupRuns()) await started.process.end();
  await started.drained;
  task.ending = exit.error?.message ?? (exit.signal ? `ended by ${exit.signal}` : `exit code ${exit.code}`);
  task.status = task.stoppedBy !== undefined ? 'stopped' : exit.code === 0 ? 'completed' : 'failed';
  if (crew.isClosing) return;
  const notice = noticeText({
    taskId: task.id,
    toolUseId: task.call,
    agent: 'Bash',
    status: task.status,
    summary: `${task.command.replace(/\s+/g, ' ').slice(0, 120)}: ${task.ending}`,
    result: `${task.ending}. The output is in the output file.`,
    usage: `duration: ${Math.round(crew.host.clock.elapsed() - task.startedAt)} ms`,
    outputFile: task.outputFile,
  });
  await deliverNotice(crew, task.owner, notice, { agent: task.id, run: 1 });
}

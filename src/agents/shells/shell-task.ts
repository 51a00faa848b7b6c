/** A shell command in the background: a task with an output file, a notice and a way to stop it. */

import { reasonOf } from '../../protocol/reason-of.js';
import type { KeptCommand } from '../../tools/tool.js';
import type { LiveAgent } from '../live-agent.js';
import { deliverNotice, noticeText } from '../notices/notice.js';
import type { Runtime } from '../runtime.js';
import type { ShellTask } from './kept-shell.js';
import { writeShellOutput } from './shell-output.js';

export type StartedShell = KeptCommand & { readonly callId: string; readonly agentId: string };

/** How long to wait for output after the command's process group has ended. */
const DRAIN_MS = 1_000;

/** Resolves once its start is on record, so that a resumed session can report it. What can't be recorded is ended. */
export async function adoptShell(runtime: Runtime, started: StartedShell): Promise<ShellTask> {
  const owner = runtime.agents.get(started.agentId);
  if (owner === undefined) throw new Error('a command of an agent that is not there');
  const id = `sh-${runtime.host.newId().slice(-8)}`;
  const task: ShellTask = {
    id,
    command: started.command,
    owner,
    call: started.callId,
    outputFile: runtime.layout.taskOutput(id),
    endsWithAgent: !owner.isMain,
    startedAt: runtime.host.clock.elapsed(),
    isOpen: true,
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
  runtime.shellTasks.set(id, task);
  const { call, command, outputFile: output } = task;
  const recorded = owner.emit({ kind: 'task-started', task: id, call, command, output });
  const done = follow(runtime, task, started).finally(() => {
    task.isOpen = false;
  });
  Object.assign(task, { done });
  try {
    await recorded;
  } catch (error) {
    await task.stop('agent-end');
    throw new Error(`it was started and ended again, because its start could not be saved: ${reasonOf(error)}`);
  }
  return task;
}

/** A child's commands end with it: no process is left when its parent gets the notice. */
export async function endShellsOf(runtime: Runtime, owner: LiveAgent): Promise<void> {
  const running = [...runtime.shellTasks.values()].filter((task) => task.owner === owner && task.status === 'running');
  for (const task of running) owner.output.add(`its command in the background is ended with it: ${task.command}`);
  await Promise.all(running.map((task) => task.stop('agent-end')));
}

async function follow(runtime: Runtime, task: ShellTask, { process, finish }: StartedShell): Promise<void> {
  const drained = writeShellOutput(runtime.host, process, task.outputFile);
  const exit = await process.exit;
  // The notice must not come before the processes are gone.
  if (await process.groupRuns()) await process.end();
  await Promise.race([drained, runtime.host.clock.sleep(DRAIN_MS)]);
  // A process that left the group (setsid) may hold the pipe open.
  process.stdout.destroy();
  process.stderr.destroy();
  await drained;
  // Always, and before the notice: remove what the sandbox put into the project.
  const notes = await finish?.(exit).catch((error: unknown) => [reasonOf(error)]);
  task.ending = exit.error?.message ?? (exit.signal ? `ended by ${exit.signal}` : `exit code ${exit.code}`);
  task.status = task.stoppedBy !== undefined ? 'stopped' : exit.code === 0 ? 'completed' : 'failed';
  // No one is left to notify.
  if (runtime.isClosing || task.stoppedBy === 'agent-end') return;
  const notice = noticeText({
    taskId: task.id,
    toolUseId: task.call,
    agent: 'Bash',
    status: task.status,
    summary: `${task.command.replace(/\s+/g, ' ').slice(0, 120)}: ${task.ending}`,
    result: [`${task.ending}. The output is in the output file.`, ...(notes ?? []).map((note) => `(${note})`)].join(
      '\n',
    ),
    usage: `duration: ${Math.round(runtime.host.clock.elapsed() - task.startedAt)} ms`,
    outputFile: task.outputFile,
  });
  await deliverNotice(runtime, task.owner, notice, { agent: task.id, run: 1 });
}

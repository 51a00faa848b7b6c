/** A background shell command: a task with an output file, a notice and a way to stop it. */

import { reasonOf } from '../../protocol/reason-of.js';
import type { BackgroundCommand } from '../../tools/tool.js';
import type { LiveAgent } from '../live-agent.js';
import { deliverNotice, noticeText } from '../notices/notice.js';
import type { Runtime } from '../runtime.js';
import { adoptTask } from './adopt-task.js';
import type { ShellTask } from './background-shell.js';
import { writeShellOutput } from './shell-output.js';

export type StartedShell = BackgroundCommand & { readonly callId: string; readonly agentId: string };

/** How long to wait for output after the command's process group has ended. */
const DRAIN_MS = 1_000;

export function adoptShell(runtime: Runtime, started: StartedShell): Promise<ShellTask> {
  return adoptTask(runtime, {
    agentId: started.agentId,
    callId: started.callId,
    command: started.command,
    prefix: 'sh',
    end: () => started.process.end(),
    follow: (task) => follow(runtime, task, started),
  });
}

/** Stops a child's commands with it, so that no process is left when its parent gets the notice. */
export async function endShellsOf(runtime: Runtime, owner: LiveAgent): Promise<void> {
  const running = [...runtime.shellTasks.values()].filter((task) => task.owner === owner && task.status === 'running');
  for (const task of running) owner.output.add(`its command in the background is ended with it: ${task.command}`);
  await Promise.all(running.map((task) => task.stop('agent-end')));
}

async function follow(runtime: Runtime, task: ShellTask, { process, printed, finish }: StartedShell): Promise<void> {
  const drained = writeShellOutput(runtime.host, process, task.outputFile, printed);
  const exit = await process.exit;
  // The notice must not arrive before the processes are gone.
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

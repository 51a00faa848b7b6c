/** A shell command that runs on in the background: a task like any other, with output file, notice and stop. */

import { reasonOf } from '../../protocol/reason-of.js';
import type { KeptCommand } from '../../tools/tool.js';
import type { LiveAgent } from '../live-agent.js';
import { deliverNotice, noticeText } from '../notices/notice.js';
import type { Runtime } from '../runtime.js';
import type { ShellTask } from './kept-shell.js';
import { writeShellOutput } from './shell-output.js';

export type StartedShell = KeptCommand & { readonly callId: string; readonly agentId: string };

/** How long output may still come when everything of the command's group is gone. */
const DRAIN_MS = 1_000;

export function adoptShell(runtime: Runtime, started: StartedShell): ShellTask {
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
  // On record, so that a resumed session learns what became of it. A record that fails fails the next one too.
  const { call, command, outputFile: output } = task;
  void owner.emit({ kind: 'task-started', task: id, call, command, output }).catch(() => {});
  const done = follow(runtime, task, started).finally(() => {
    task.isOpen = false;
  });
  return Object.assign(task, { done });
}

/** A child's commands end with it: when its parent hears of its end, no process of it is left. */
export async function endShellsOf(runtime: Runtime, owner: LiveAgent): Promise<void> {
  const running = [...runtime.shellTasks.values()].filter((task) => task.owner === owner && task.status === 'running');
  for (const task of running) owner.output.add(`its command in the background is ended with it: ${task.command}`);
  await Promise.all(running.map((task) => task.stop('agent-end')));
}

async function follow(runtime: Runtime, task: ShellTask, { process, finish }: StartedShell): Promise<void> {
  const drained = writeShellOutput(runtime.host, process, task.outputFile);
  const exit = await process.exit;
  // The notice comes when the processes are gone, not before.
  if (await process.groupRuns()) await process.end();
  await Promise.race([drained, runtime.host.clock.sleep(DRAIN_MS)]);
  // One that left the group (setsid) may hold the pipe open for ever.
  process.stdout.destroy();
  process.stderr.destroy();
  await drained;
  // Before the notice, and also when nobody hears it: what the sandbox put into the project is cleared.
  const notes = await finish?.(exit).catch((error: unknown) => [reasonOf(error)]);
  task.ending = exit.error?.message ?? (exit.signal ? `ended by ${exit.signal}` : `exit code ${exit.code}`);
  task.status = task.stoppedBy !== undefined ? 'stopped' : exit.code === 0 ? 'completed' : 'failed';
  // Nobody is left who would hear it.
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

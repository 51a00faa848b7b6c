/** A task in the background that is no agent: listed, on record, and stopped where a person or its agent's end says so. */

import { reasonOf } from '../../protocol/reason-of.js';
import type { Runtime } from '../runtime.js';
import type { ShellTask } from './background-shell.js';

export type StartedTask = {
  readonly agentId: string;
  readonly callId: string;
  /** What it is, for people: a command, or the name of a tool. */
  readonly command: string;
  /** Of its id. */
  readonly prefix: string;
  end(): Promise<void>;
  /** Resolves when it has ended and its notice is on its way. */
  follow(task: ShellTask): Promise<void>;
};

/** Resolves once its start is on record, so that a resumed session can report it. What can't be recorded is ended. */
export async function adoptTask(runtime: Runtime, started: StartedTask): Promise<ShellTask> {
  const owner = runtime.agents.get(started.agentId);
  if (owner === undefined) throw new Error('a task of an agent that is not there');
  const id = `${started.prefix}-${runtime.host.newId().slice(-8)}`;
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
      await started.end();
      await task.done;
    },
  };
  runtime.shellTasks.set(id, task);
  const { call, command, outputFile: output } = task;
  const recorded = owner.emit({ kind: 'task-started', task: id, call, command, output });
  const done = started.follow(task).finally(() => {
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

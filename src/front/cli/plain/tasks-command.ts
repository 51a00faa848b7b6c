/** `/tasks`: lists background and interrupted tasks, resumes one, or stops one. */

import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import type { Session } from '../../sdk/session.js';

export type TasksContext = { readonly session: Session; readonly say: (line: string) => void };

/** `/tasks`, `/tasks resume ID [words]`, `/tasks stop ID`. */
export async function runTasks({ session, say }: TasksContext, argument: string): Promise<void> {
  const [, verb, id = '', words = ''] = /^(resume|stop)\s+(\S+)\s*(.*)$/s.exec(argument.trim()) ?? [];
  if (verb === undefined && argument.trim() !== '') return say('Use /tasks, /tasks resume ID, or /tasks stop ID.');
  if (verb === 'resume') {
    const reason = await session.resumeAgent(id, ...(words === '' ? [] : [words]));
    return say(
      reason === undefined ? `${stripUnsafe(id)} is resumed; a notice arrives when it ends.` : stripUnsafe(reason),
    );
  }
  const tasks = session.tasks();
  if (verb === 'stop') {
    const task = tasks.find((one) => one.id === id);
    if (task === undefined) return say(`There is no task ${stripUnsafe(id)}.`);
    await task.stop('person');
    return say(`${stripUnsafe(id)} is stopped.`);
  }
  if (tasks.length === 0) return say('There are no background tasks.');
  for (const { id: task, status, title, progress } of tasks) {
    say(
      stripUnsafe(`  ${task}  ${status}  ${title}${progress === '' || progress === status ? '' : `  (${progress})`}`),
    );
  }
}

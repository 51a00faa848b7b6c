/** `/tasks`: lists agents and background commands, resumes one, or stops one. */

import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import type { Session } from '../../sdk/session.js';
import { describeAgent } from '../../view/describe/describe-agents.js';
import type { AgentSnapshot } from '../../view/snapshots.js';

export type TasksContext = { readonly session: Session; readonly say: (line: string) => void };

const USE = 'Use /tasks, /tasks all, /tasks resume ID [WORDS], or /tasks stop ID.';
/** Of those that have ended, so many are listed. */
const MAX_ENDED = 10;

export async function runTasks(context: TasksContext, argument: string): Promise<void> {
  const { say } = context;
  const [, verb, id = '', words = ''] = /^(resume|stop)\s+(\S+)\s*(.*)$/s.exec(argument) ?? [];
  if (verb === 'resume') return resume(context, id, words);
  if (verb === 'stop') return stop(context, id);
  if (argument !== '' && argument !== 'all') return say(USE);
  list(context, argument === 'all' ? Number.POSITIVE_INFINITY : MAX_ENDED);
}

/** Everything from one snapshot, so that no two lines are of different moments. */
function list({ session, say }: TasksContext, mostEnded: number): void {
  const agents = session.snapshot().filter(({ parent }) => parent !== undefined);
  const shells = session.tasks().filter(({ kind }) => kind === 'shell');
  if (agents.length + shells.length === 0) say('There are no agents and no background commands.');
  const ended = agents.filter((agent) => !isOpen(agent));
  for (const agent of agents.filter(isOpen)) for (const line of describeAgent(agent)) say(line);
  for (const { id, status, title, progress } of shells) {
    say(
      stripUnsafe(`  ${id}  ${status}  ${title}${progress === status ? '' : `  (${progress})`}`).replaceAll('\n', ' '),
    );
  }
  const shown = mostEnded === Number.POSITIVE_INFINITY ? ended : ended.slice(-mostEnded);
  for (const agent of shown) for (const line of describeAgent(agent)) say(line);
  if (shown.length < ended.length) say(`  … ${ended.length - shown.length} more have ended (/tasks all)`);
}

function isOpen({ status }: AgentSnapshot): boolean {
  return status !== 'completed' && status !== 'failed' && status !== 'stopped';
}

async function resume({ session, say }: TasksContext, wanted: string, words: string): Promise<void> {
  const id = findTask(session, wanted);
  const reason = await session.resumeAgent(id, ...(words === '' ? [] : [words]));
  say(stripUnsafe(reason === undefined ? `${id} is resumed; a notice arrives when it ends.` : `${id}: ${reason}`));
}

async function stop({ session, say }: TasksContext, wanted: string): Promise<void> {
  const id = findTask(session, wanted);
  const before = session.tasks().find((task) => task.id === id)?.status;
  if (before !== undefined && !WORKING.includes(before)) {
    return say(stripUnsafe(`${id} does not run: it is ${before}.`));
  }
  const done = await session.execute({ type: 'stop-task', task: id });
  say(stripUnsafe(done.ok ? `${id} is stopped.` : `Nothing was stopped: ${done.reason}`));
}

const WORKING = ['running', 'waiting', 'queued'];

/** By id, by name, or by the beginning of an id that only one has. What is not found is left as it is. */
export function findTask(session: Session, wanted: string): string {
  const agents = session.snapshot().filter(({ parent }) => parent !== undefined);
  const ids = [...new Set([...agents.map(({ id }) => id), ...session.tasks().map(({ id }) => id)])];
  if (ids.includes(wanted)) return wanted;
  const named = agents.findLast(({ name }) => name === wanted);
  const begun = ids.filter((id) => id.startsWith(wanted));
  return named?.id ?? (begun.length === 1 ? (begun[0] ?? wanted) : wanted);
}

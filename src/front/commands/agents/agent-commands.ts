/**
 * `/agents`: the types of agents that the main agent may start, as their files are now. `/tasks`: agents and background
 * commands; stops, resumes, writes to or takes over one, shows what one printed.
 */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { plural } from '../../../protocol/format-numbers.js';
import type { Session } from '../../sdk/session.js';
import { isUnderWay } from '../../view/agent-view.js';
import { describeAgent } from '../../view/describe/describe-agents.js';
import type { AgentSnapshot } from '../../view/snapshots.js';

export type TasksContext = { readonly session: Session; readonly say: (line: string) => void };

const USE =
  'Use /tasks, /tasks all, /tasks stop ID|all, /tasks resume ID [WORDS], /tasks write ID WORDS, /tasks output ID, /tasks take ID, or /tasks give ID.';
/** Of those that have ended, so many are listed. */
const MAX_ENDED = 10;
const LONGEST_DESCRIPTION = 160;

export async function listKinds({ session, say }: TasksContext): Promise<void> {
  const listed = await session.execute({ type: 'agents', fresh: true });
  if (!listed.ok) return say(escapeToLine(listed.reason));
  for (const { name, description, model, scope, file } of listed.agents) {
    const words = description.replace(/\s+/g, ' ').trim();
    say(escapeToLine(`  ${name}  (${file === '' ? scope : `${scope}: ${file}`}), model ${model}`));
    say(
      escapeToLine(
        `    ${words.length > LONGEST_DESCRIPTION ? `${words.slice(0, LONGEST_DESCRIPTION - 1).toWellFormed()}…` : words}`,
      ),
    );
  }
  if (listed.agents.length === 0) say('There are none: a file .claude/agents/NAME.md makes one.');
  const atWork = session.snapshot().filter(({ parent }) => parent !== undefined).length;
  if (atWork > 0) say(`(${plural(atWork, 'agent was', 'agents were')} started in this session: /tasks)`);
}

type Verb = (context: TasksContext, id: string, words: string) => Promise<void>;

const VERBS: Readonly<Record<string, Verb>> = {
  stop: (context, id) => (id === 'all' ? stopAll(context) : stop(context, id)),
  resume,
  write,
  output: showOutput,
  take: takeOver,
  give: handBack,
};

export async function runTasks(context: TasksContext, argument: string): Promise<void> {
  const [, verb = '', wanted = '', words = ''] = /^(\S+)\s+(\S+)\s*(.*)$/s.exec(argument) ?? [];
  if (verb !== '' && Object.hasOwn(VERBS, verb)) {
    return VERBS[verb]?.(context, wanted === 'all' ? wanted : findTask(context.session, wanted), words);
  }
  if (argument !== '' && argument !== 'all') return context.say(USE);
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
      stripControls(`  ${id}  ${status}  ${title}${progress === status ? '' : `  (${progress})`}`).replaceAll(
        '\n',
        ' ',
      ),
    );
  }
  const shown = mostEnded === Number.POSITIVE_INFINITY ? ended : ended.slice(-mostEnded);
  for (const agent of shown) for (const line of describeAgent(agent)) say(line);
  if (shown.length < ended.length) say(`  … ${ended.length - shown.length} more have ended (/tasks all)`);
}

function isOpen({ status }: AgentSnapshot): boolean {
  return status !== 'completed' && status !== 'failed' && status !== 'stopped';
}

async function resume({ session, say }: TasksContext, id: string, words: string): Promise<void> {
  const reason = await session.resumeAgent(id, ...(words === '' ? [] : [words]));
  say(stripControls(reason === undefined ? `${id} is resumed; a notice arrives when it ends.` : `${id}: ${reason}`));
}

async function write({ session, say }: TasksContext, id: string, words: string): Promise<void> {
  if (words === '') return say('Say what to write to it: /tasks write ID WORDS');
  const atWork = isUnderWay(session.snapshot().find((agent) => agent.id === id)?.status ?? '');
  const done = await session.execute({ type: 'message', agent: id, text: words });
  const sent = atWork ? 'it reads this between its turns' : 'it goes on with this in the background';
  say(stripControls(done.ok ? `sent to ${id}: ${sent}.` : `Nothing was sent: ${done.reason}`));
}

/** From then on it waits for the person after each turn (TU-11). */
async function takeOver({ session, say }: TasksContext, id: string): Promise<void> {
  const done = await session.execute({ type: 'take-over', agent: id });
  const how = `/tasks write ${id} WORDS tells it something, /tasks give ${id} lets it go on by itself.`;
  say(
    stripControls(done.ok ? `${id} waits for you after each turn. ${how}` : `${id} was not taken over: ${done.reason}`),
  );
}

async function handBack({ session, say }: TasksContext, id: string): Promise<void> {
  const done = await session.execute({ type: 'hand-back', agent: id });
  say(stripControls(done.ok ? `${id} goes on by itself.` : `${id} was not handed back: ${done.reason}`));
}

async function showOutput({ session, say }: TasksContext, id: string): Promise<void> {
  const found = await session.execute({ type: 'task-output', task: id });
  if (!found.ok) return say(stripControls(found.reason));
  const { status, output, bytes, isCut } = found;
  say(
    stripControls(
      `${id}  ${status}${isCut ? `, the end of ${bytes} bytes` : ''}${output === '' ? ', nothing printed' : ''}`,
    ),
  );
  if (output !== '') say(stripControls(output.replace(/\n$/, '')));
}

async function stop({ session, say }: TasksContext, id: string): Promise<void> {
  const before = session.tasks().find((task) => task.id === id)?.status;
  if (before !== undefined && !isUnderWay(before)) {
    return say(stripControls(`${id} does not run: it is ${before}.`));
  }
  const done = await session.execute({ type: 'stop-task', task: id });
  say(stripControls(done.ok ? `${id} is stopped.` : `Nothing was stopped: ${done.reason}`));
}

async function stopAll(context: TasksContext): Promise<void> {
  const running = context.session.tasks().filter(({ status }) => isUnderWay(status));
  if (running.length === 0) return context.say('Nothing runs.');
  for (const { id } of running) await stop(context, id);
}

/** By id, by name, or by the beginning of an id that only one has. What is not found is left as it is. */
export function findTask(session: Session, wanted: string): string {
  const agents = session.snapshot().filter(({ parent }) => parent !== undefined);
  const ids = [...new Set([...agents.map(({ id }) => id), ...session.tasks().map(({ id }) => id)])];
  if (ids.includes(wanted)) return wanted;
  const named = agents.findLast(({ name }) => name === wanted);
  const begun = ids.filter((id) => id.startsWith(wanted));
  return named?.id ?? (begun.length === 1 ? (begun[0] ?? wanted) : wanted);
}

/**
 * `/agents`: the agent types that the main agent may start, freshly read from their files. `/tasks`: agents and background
 * commands; stops, resumes, messages or takes over one, shows its output.
 */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import { plural } from '../../../protocol/format-numbers.js';
import { oneLine, shorten } from '../../../protocol/text/one-line.js';
import type { Session } from '../../sdk/session.js';
import { isActive } from '../../view/agent-view.js';
import { describeAgent } from '../../view/describe/describe-agents.js';
import type { AgentSnapshot } from '../../view/snapshots.js';

export type TasksContext = { readonly session: Session; readonly say: (line: string) => void };

const USE =
  'Use /tasks, /tasks all, /tasks stop ID|all, /tasks resume ID [TEXT], /tasks write ID TEXT, /tasks output ID, /tasks take ID, or /tasks give ID.';
/** How many of the ended agents are listed. */
const MAX_ENDED = 10;
const LONGEST_DESCRIPTION = 160;

export async function listAgentTypes({ session, say }: TasksContext): Promise<void> {
  const listed = await session.execute({ type: 'agents', fresh: true });
  if (!listed.ok) return say(escapeToLine(listed.reason));
  for (const { name, description, model, scope, file } of listed.agents) {
    say(escapeToLine(`  ${name}  (${file === '' ? scope : `${scope}: ${file}`}), model ${model}`));
    say(escapeToLine(`    ${shorten(oneLine(description), LONGEST_DESCRIPTION)}`));
  }
  if (listed.agents.length === 0) say('No agents defined. Create one as .claude/agents/NAME.md.');
  const started = session.snapshot().filter(({ parent }) => parent !== undefined).length;
  if (started > 0) say(`(${plural(started, 'agent was', 'agents were')} started in this session: /tasks)`);
}

type Verb = (context: TasksContext, id: string, text: string) => Promise<void>;

const VERBS: Readonly<Record<string, Verb>> = {
  stop: (context, id) => (id === 'all' ? stopAll(context) : stop(context, id)),
  resume,
  write,
  output: showOutput,
  take: takeOver,
  give: handBack,
};

export async function runTasks(context: TasksContext, argument: string): Promise<void> {
  const [, verb = '', wanted = '', text = ''] = /^(\S+)\s+(\S+)\s*(.*)$/s.exec(argument) ?? [];
  if (verb !== '' && Object.hasOwn(VERBS, verb)) {
    return VERBS[verb]?.(context, wanted === 'all' ? wanted : findTask(context.session, wanted), text);
  }
  if (argument !== '' && argument !== 'all') return context.say(USE);
  list(context, argument === 'all' ? Number.POSITIVE_INFINITY : MAX_ENDED);
}

/** Lists everything from one snapshot, so that all lines show the same moment. */
function list({ session, say }: TasksContext, mostEnded: number): void {
  const agents = session.snapshot().filter(({ parent }) => parent !== undefined);
  const shells = session.tasks().filter(({ kind }) => kind === 'shell');
  if (agents.length + shells.length === 0) say('No agents and no background commands.');
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
  if (shown.length < ended.length) say(`  … ${ended.length - shown.length} more ended (/tasks all)`);
}

function isOpen({ status }: AgentSnapshot): boolean {
  return status !== 'completed' && status !== 'failed' && status !== 'stopped';
}

async function resume({ session, say }: TasksContext, id: string, text: string): Promise<void> {
  const reason = await session.resumeAgent(id, ...(text === '' ? [] : [text]));
  const done = `Resumed ${id}. You'll be notified when it finishes.`;
  say(stripControls(reason === undefined ? done : `Can't resume ${id}: ${reason}`));
}

async function write({ session, say }: TasksContext, id: string, text: string): Promise<void> {
  if (text === '') return say('Add a message: /tasks write ID TEXT');
  const isRunning = isActive(session.snapshot().find((agent) => agent.id === id)?.status ?? '');
  const done = await session.execute({ type: 'message', agent: id, text });
  const effect = isRunning ? 'it reads the message between turns' : 'it continues in the background';
  say(stripControls(done.ok ? `Sent to ${id}: ${effect}.` : `Not sent: ${done.reason}`));
}

/** Takes over an agent: from then on it pauses for the user after each turn (TU-11). */
async function takeOver({ session, say }: TasksContext, id: string): Promise<void> {
  const done = await session.execute({ type: 'take-over', agent: id });
  const how = `/tasks write ${id} TEXT sends it a message, /tasks give ${id} hands it back.`;
  const taken = `You have taken over ${id}: it pauses for you after each turn. ${how}`;
  say(stripControls(done.ok ? taken : `Can't take over ${id}: ${done.reason}`));
}

async function handBack({ session, say }: TasksContext, id: string): Promise<void> {
  const done = await session.execute({ type: 'hand-back', agent: id });
  say(stripControls(done.ok ? `Handed back ${id}: it continues on its own.` : `Can't hand back ${id}: ${done.reason}`));
}

async function showOutput({ session, say }: TasksContext, id: string): Promise<void> {
  const found = await session.execute({ type: 'task-output', task: id });
  if (!found.ok) return say(stripControls(found.reason));
  const { status, output, bytes, isCut } = found;
  say(
    stripControls(`${id}  ${status}${isCut ? `, the end of ${bytes} bytes` : ''}${output === '' ? ', no output' : ''}`),
  );
  if (output !== '') say(stripControls(output.replace(/\n$/, '')));
}

async function stop({ session, say }: TasksContext, id: string): Promise<void> {
  const before = session.tasks().find((task) => task.id === id)?.status;
  if (before !== undefined && !isActive(before)) {
    return say(stripControls(`${id} is not running: it is ${before}.`));
  }
  const done = await session.execute({ type: 'stop-task', task: id });
  say(stripControls(done.ok ? `Stopped ${id}.` : `Can't stop ${id}: ${done.reason}`));
}

async function stopAll(context: TasksContext): Promise<void> {
  const running = context.session.tasks().filter(({ status }) => isActive(status));
  if (running.length === 0) return context.say('Nothing is running.');
  for (const { id } of running) await stop(context, id);
}

/** Finds a task by id, name or unique id prefix. Returns the input if there is none. */
export function findTask(session: Session, wanted: string): string {
  const agents = session.snapshot().filter(({ parent }) => parent !== undefined);
  const ids = [...new Set([...agents.map(({ id }) => id), ...session.tasks().map(({ id }) => id)])];
  if (ids.includes(wanted)) return wanted;
  const named = agents.findLast(({ name }) => name === wanted);
  const matching = ids.filter((id) => id.startsWith(wanted));
  return named?.id ?? (matching.length === 1 ? (matching[0] ?? wanted) : wanted);
}

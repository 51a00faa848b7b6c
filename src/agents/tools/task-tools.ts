/** TaskOutput, TaskStop and ListAgents: how a model looks at and ends what it started. */

import * as z from 'zod';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { neutralizeTags } from '../../protocol/tags.js';
import type { AgentLog } from '../../session/state/agent-log.js';
import type { Tool, ToolContext } from '../../tools/tool.js';
import { isAtWork, isBelow, type Member, stop } from '../live-agent.js';
import { NO_TEXT } from '../run/result.js';
import type { Runtime } from '../runtime.js';
import type { ShellTask } from '../shells/kept-shell.js';
import { describeTasks, type Found, findTask, inertLine } from './find-task.js';

const MAX_WAIT_MS = 600_000;
const DEFAULT_WAIT_MS = 30_000;
const RECENT_LINES = 10;
const SHELL_TAIL_BYTES = 8_000;

export function createTaskTools(runtime: () => Runtime): readonly Tool[] {
  const outputSchema = z.object({
    task_id: z.string().describe('The agent or task'),
    block: z.boolean().optional().describe('Wait until it has ended (default true)'),
    timeout: z.number().min(0).max(MAX_WAIT_MS).optional().describe('How long to wait at most, in milliseconds'),
  });
  const taskOutput: Tool<z.infer<typeof outputSchema>> = {
    name: 'TaskOutput',
    aliases: ['AgentOutput', 'BashOutput'],
    description:
      'What a background task came to or, while it runs, how it stands. A notice comes by itself when it ends, so use this only when you need to know now.',
    schema: outputSchema,
    concurrent: true,
    declare: () => [{ kind: 'session' }],
    run: (input, context) => showTask(runtime(), input, context),
  };
  const stopSchema = z.object({ task_id: z.string().describe('The agent or task') });
  const taskStop: Tool<z.infer<typeof stopSchema>> = {
    name: 'TaskStop',
    aliases: ['KillShell', 'KillBash'],
    description: 'Ends a background task. What an agent had done stays.',
    schema: stopSchema,
    concurrent: false,
    declare: () => [{ kind: 'session' }],
    run: (input, context) => stopTask(runtime(), input.task_id, context.agentId),
  };
  const listAgents: Tool<Record<string, never>> = {
    name: 'ListAgents',
    description:
      'The agents and background commands of this session: who is there, how each stands, who can be written to.',
    schema: z.object({}) as z.ZodType<Record<string, never>>,
    concurrent: true,
    declare: () => [{ kind: 'session' }],
    run: async (_, context) => succeeded(listAll(runtime(), context.agentId)),
  };
  return [taskOutput, taskStop, listAgents] as readonly Tool[];
}

async function showTask(
  runtime: Runtime,
  input: { readonly task_id: string; readonly block?: boolean | undefined; readonly timeout?: number | undefined },
  context: ToolContext,
): Promise<ToolOutcome> {
  const found = findTask(runtime, input.task_id);
  if (found === undefined) return failed(`There is no task ${input.task_id}. ${describeTasks(runtime)}`);
  if (found.kind === 'resting') return succeeded(showResting(found.log));
  if (found.kind === 'agent' && found.member.agent.id === context.agentId) return failed('That is you.');
  const done = found.kind === 'agent' ? found.member.done : found.task.done;
  if (input.block !== false && done) {
    const waited = new AbortController();
    const stopWaiting = () => waited.abort();
    context.signal.addEventListener('abort', stopWaiting, { once: true });
    await Promise.race([done, runtime.host.clock.sleep(input.timeout ?? DEFAULT_WAIT_MS, waited.signal)]);
    context.signal.removeEventListener('abort', stopWaiting);
    stopWaiting();
  }
  return succeeded(found.kind === 'agent' ? showAgent(found.member) : await showShell(runtime, found.task));
}

/** The conclusion or, while it runs, a short view of its progress; never raw records. */
function showAgent(member: Member): string {
  const { result, output } = member;
  const head = inertLine(`${member.agent.id} (${member.name ?? member.agent.type}): ${member.state}`);
  if (isAtWork(member) || result === undefined || result.status === 'async_launched') {
    return [head, ...output.recent(RECENT_LINES).map(neutralizeTags), `(output file: ${output.path})`].join('\n');
  }
  const reason = result.status === 'failed' ? `${result.line}\n` : '';
  return `${head}\n\n${reason}${neutralizeTags(result.content.trim() === '' ? NO_TEXT : result.content)}`;
}

function showResting({ agent, spawned, state, result }: AgentLog): string {
  const said = result === undefined || result.text.trim() === '' ? NO_TEXT : result.text;
  return `${inertLine(`${agent} (${spawned.name ?? spawned.type}): ${state}`)}\n\n${neutralizeTags(said)}`;
}

async function showShell(runtime: Runtime, task: ShellTask): Promise<string> {
  const head = `${task.id}: ${task.status}${task.ending ? `, ${task.ending}` : ''} (output file: ${task.outputFile})`;
  try {
    const handle = await runtime.host.files.openRead(task.outputFile);
    try {
      const { size } = await handle.stat();
      const tail = await handle.read(Math.max(0, size - SHELL_TAIL_BYTES), SHELL_TAIL_BYTES);
      const cut = size > SHELL_TAIL_BYTES ? `[the last ${SHELL_TAIL_BYTES} of ${size} bytes]\n` : '';
      return `${head}\n\n${cut}${neutralizeTags(tail.toString('utf8'))}`;
    } finally {
      await handle.close();
    }
  } catch {
    return `${head}\n\n(no output yet)`;
  }
}

async function stopTask(runtime: Runtime, id: string, asker: string): Promise<ToolOutcome> {
  const found = findTask(runtime, id);
  if (found === undefined) return failed(`There is no task ${id}. ${describeTasks(runtime)}`);
  const stranger = whyNotStop(runtime, found, asker);
  if (stranger !== undefined) return failed(stranger);
  if (found.kind === 'shell') {
    if (found.task.status !== 'running') return failed(`${id} has ended already (${found.task.status}).`);
    await found.task.stop('model');
    return succeeded(`${id} was stopped.`);
  }
  if (found.kind === 'resting') return failed(`${id} has ended already (${found.log.state}).`);
  const { member } = found;
  if (!isAtWork(member)) return failed(`${id} has ended already (${member.state}).`);
  stop(member, 'model');
  await member.done;
  return succeeded(`${id} was stopped. What it had done so far stays.`);
}

/** An agent ends what it started itself, or what that started; the main agent everything. */
function whyNotStop(runtime: Runtime, found: Found, asker: string): string | undefined {
  const by = runtime.members.get(asker);
  if (by === undefined || by.parent === undefined || found.kind === 'resting') return undefined;
  if (found.kind === 'shell') {
    if (found.task.owner === by || isBelow(found.task.owner, by)) return undefined;
    return `${found.task.id} is another agent's command; only who started it, or the agents above, can stop it.`;
  }
  if (isBelow(found.member, by)) return undefined;
  const whose = found.member === by ? 'You end by giving your conclusion' : 'Only the agents above it can stop it';
  return `${found.member.agent.id} was not started by you. ${whose}.`;
}

function listAll(runtime: Runtime, asker: string): string {
  const rows = [...runtime.members.values()].map((member) => {
    const { agent } = member;
    const you = agent.id === asker ? ' (you)' : '';
    const name = member.name ? ` "${member.name}"` : '';
    const doing = isAtWork(member) && member.parent ? `: ${member.output.last}` : '';
    return `${agent.id}${name}${you}: ${agent.type}, ${member.state}, ${member.description}${doing}`;
  });
  const shells = [...runtime.shellTasks.values()].map(
    (task) => `${task.id}: Bash, ${task.status}, ${task.command.slice(0, 100)}`,
  );
  const resting = [...runtime.ended.values()].map(({ agent, spawned, state }) => {
    const name = spawned.name ? ` "${spawned.name}"` : '';
    return `${agent}${name}: ${spawned.type}, ${state}, ${spawned.description}`;
  });
  return [...rows, ...resting, ...shells].map(inertLine).join('\n');
}

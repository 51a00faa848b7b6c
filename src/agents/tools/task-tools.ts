/** TaskOutput, TaskStop and ListAgents, with which a model inspects and stops its tasks. */

import * as z from 'zod';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { restoreTags } from '../../protocol/tags.js';
import { listAgentsFacts, taskOutputFacts, taskStopFacts } from '../../protocol/tools/agent-tasks.js';
import type { Tool, ToolContext } from '../../tools/tool.js';
import { zodTool } from '../../tools/zod-tool.js';
import type { EndedAgent } from '../ended-agent.js';
import type { LiveAgent } from '../live-agent.js';
import { describeWorktree, NO_TEXT } from '../run/result.js';
import type { Runtime } from '../runtime.js';
import type { ShellTask } from '../shells/background-shell.js';
import { parentRecord, worktreeFacts } from '../worktrees/settle-worktree.js';
import DECLARED_INPUTS from './declared-inputs.json' with { type: 'json' };
import { describeTasks, type Found, findTask, inertLine, knownAgents } from './find-task.js';

const MAX_WAIT_MS = 600_000;
const DEFAULT_WAIT_MS = 30_000;
const RECENT_LINES = 10;
const SHELL_TAIL_BYTES = 8_000;

const outputSchema = () =>
  z.object({
    task_id: z.string().describe('The agent or task'),
    block: z.boolean().optional().describe('Wait until it has ended (default true)'),
    timeout: z.number().min(0).max(MAX_WAIT_MS).optional().describe('How long to wait at most, in milliseconds'),
  });
const stopSchema = () => z.object({ task_id: z.string().describe('The agent or task') });
const noInput = () => z.object({}) as z.ZodType<Record<string, never>>;

export function createTaskTools(runtime: () => Runtime): readonly Tool[] {
  const taskOutput: Tool<z.infer<ReturnType<typeof outputSchema>>> = zodTool({
    name: taskOutputFacts.name,
    aliases: taskOutputFacts.aliases,
    description:
      'What a background task came to or, while it runs, how it stands. A notice comes by itself when it ends, so use this only when you need to know now.',
    schema: outputSchema,
    inputSchema: DECLARED_INPUTS.TaskOutput,
    concurrent: true,
    declare: () => [{ kind: 'session' }],
    run: (input, context) => showTask(runtime(), input, context),
  });
  const taskStop: Tool<z.infer<ReturnType<typeof stopSchema>>> = zodTool({
    name: taskStopFacts.name,
    aliases: taskStopFacts.aliases,
    description: 'Ends a background task. What an agent had done stays.',
    schema: stopSchema,
    inputSchema: DECLARED_INPUTS.TaskStop,
    concurrent: false,
    declare: () => [{ kind: 'session' }],
    run: (input, context) => stopTask(runtime(), input.task_id, context.agentId),
  });
  const listAgents: Tool<Record<string, never>> = zodTool({
    name: listAgentsFacts.name,
    description:
      'The agents and background commands of this session: who is there, how each stands, who can be written to.',
    schema: noInput,
    inputSchema: DECLARED_INPUTS.ListAgents,
    concurrent: true,
    declare: () => [{ kind: 'session' }],
    run: async (_, context) => succeeded(listAll(runtime(), context.agentId)),
  });
  return [taskOutput, taskStop, listAgents] as readonly Tool[];
}

async function showTask(
  runtime: Runtime,
  input: { readonly task_id: string; readonly block?: boolean | undefined; readonly timeout?: number | undefined },
  context: ToolContext,
): Promise<ToolOutcome> {
  const found = findTask(runtime, input.task_id);
  if (found === undefined) return failed(`There is no task ${input.task_id}. ${describeTasks(runtime)}`);
  if (found.kind === 'ended') return succeeded(showEnded(runtime, found.ended));
  if (found.kind === 'live' && found.agent.id === context.agentId) return failed('That is you.');
  const done = found.kind === 'live' ? found.agent.done : found.task.done;
  if (input.block !== false && done) {
    const waited = new AbortController();
    const stopWaiting = () => waited.abort();
    context.signal.addEventListener('abort', stopWaiting, { once: true });
    await Promise.race([done, runtime.host.clock.sleep(input.timeout ?? DEFAULT_WAIT_MS, waited.signal)]);
    context.signal.removeEventListener('abort', stopWaiting);
    stopWaiting();
  }
  return succeeded(found.kind === 'live' ? showAgent(found.agent) : await showShell(runtime, found.task));
}

/** The result or, while it is running, a short view of its progress; never raw records. */
function showAgent(agent: LiveAgent): string {
  const { result, output } = agent;
  const head = [
    inertLine(`${agent.id} (${agent.record.name ?? agent.type}): ${agent.status}`),
    ...treeLine(agent),
  ].join('\n');
  if (agent.isActive || result === undefined) {
    return [head, ...output.recent(RECENT_LINES).map(restoreTags), `(output file: ${output.path})`].join('\n');
  }
  const reason = result.status === 'failed' ? `${result.line}\n` : '';
  return `${head}\n\n${reason}${restoreTags(result.content.trim() === '' ? NO_TEXT : result.content)}`;
}

/** Shown from its creation on; whether it is kept is known once it is settled. */
function treeLine({ record, parent, result }: LiveAgent): string[] {
  const facts = result === undefined ? worktreeFacts(record, parent?.record) : result.worktree;
  return facts === undefined ? [] : [inertLine(describeWorktree(facts))];
}

function endedTreeLine(runtime: Runtime, { spawned, runs }: EndedAgent): string[] {
  const facts = worktreeFacts(spawned, parentRecord(runtime, spawned), runs.at(-1)?.worktree);
  return facts === undefined ? [] : [inertLine(describeWorktree(facts))];
}

function showEnded(runtime: Runtime, ended: EndedAgent): string {
  const { agent, spawned, status, result, outcome } = ended;
  const text = outcome?.status === 'failed' ? `${outcome.line}\n${outcome.content}` : (result?.text ?? '');
  const reply = text.trim() === '' ? NO_TEXT : text;
  const head = [inertLine(`${agent} (${spawned.name ?? spawned.type}): ${status}`), ...endedTreeLine(runtime, ended)];
  return `${head.join('\n')}\n\n${restoreTags(reply)}`;
}

async function showShell(runtime: Runtime, task: ShellTask): Promise<string> {
  const head = `${task.id}: ${task.status}${task.ending ? `, ${task.ending}` : ''} (output file: ${task.outputFile})`;
  try {
    const handle = await runtime.host.files.openRead(task.outputFile);
    try {
      const { size } = await handle.stat();
      const tail = await handle.read(Math.max(0, size - SHELL_TAIL_BYTES), SHELL_TAIL_BYTES);
      const cut = size > SHELL_TAIL_BYTES ? `[the last ${SHELL_TAIL_BYTES} of ${size} bytes]\n` : '';
      return `${head}\n\n${cut}${tail.toString('utf8')}`;
    } finally {
      await handle.close();
    }
  } catch {
    return `${head}\n\n(no output yet)`;
  }
}

async function stopTask(runtime: Runtime, id: string, requester: string): Promise<ToolOutcome> {
  const found = findTask(runtime, id);
  if (found === undefined) return failed(`There is no task ${id}. ${describeTasks(runtime)}`);
  const stranger = whyNotStop(runtime, found, requester);
  if (stranger !== undefined) return failed(stranger);
  if (found.kind === 'shell') {
    if (found.task.status !== 'running') return failed(`${id} has ended already (${found.task.status}).`);
    await found.task.stop('model');
    return succeeded(`${id} was stopped.`);
  }
  if (found.kind === 'ended') return failed(`${id} has ended already (${found.ended.status}).`);
  const { agent } = found;
  if (!agent.isActive) return failed(`${id} has ended already (${agent.status}).`);
  agent.stop('model');
  await agent.done;
  return succeeded(`${id} was stopped. What it had done so far stays.`);
}

/** An agent may stop its descendants; the main agent may stop everything. */
function whyNotStop(runtime: Runtime, found: Found, requester: string): string | undefined {
  const by = runtime.agents.get(requester);
  if (by === undefined || by.isMain || found.kind === 'ended') return undefined;
  if (found.kind === 'shell') {
    if (found.task.owner === by || found.task.owner.isBelow(by)) return undefined;
    return `${found.task.id} is another agent's command; only who started it, or the agents above, can stop it.`;
  }
  if (found.agent.isBelow(by)) return undefined;
  const whose = found.agent === by ? 'You end by giving your conclusion' : 'Only the agents above it can stop it';
  return `${found.agent.id} was not started by you. ${whose}.`;
}

function listAll(runtime: Runtime, requester: string): string {
  const named = (name: string | undefined) => (name === undefined ? '' : ` "${name}"`);
  const known = knownAgents(runtime);
  const live = known.live.map((agent) => {
    const { id, type, status, record, output } = agent;
    const you = id === requester ? ' (you)' : '';
    const doing = agent.isActive && !agent.isMain ? `: ${output.last}` : '';
    const tree = treeLine(agent).map((line) => ` [${line}]`);
    return `${id}${named(record.name)}${you}: ${type}, ${status}, ${record.description}${tree}${doing}`;
  });
  const ended = known.ended.map((one) => {
    const { agent, spawned, status } = one;
    const tree = endedTreeLine(runtime, one).map((line) => ` [${line}]`);
    return `${agent}${named(spawned.name)}: ${spawned.type}, ${status}, ${spawned.description}${tree}`;
  });
  const shells = [...runtime.shellTasks.values()].map(
    (task) => `${task.id}: Bash, ${task.status}, ${task.command.slice(0, 100)}`,
  );
  return [...live, ...ended, ...shells].map(inertLine).join('\n');
}

/** Delivers notices that were pending when the process died, queued or not, each exactly once. */

import { text } from '../../protocol/blocks.js';
import type { NoticeKey, SideRequest, TaskStarted } from '../../protocol/events.js';
import { reminder } from '../../protocol/tags.js';
import { NO_USAGE } from '../../protocol/usage.js';
import { describeEnded } from '../../session/repair/describe-ended.js';
import { type AgentLog, owedNotices, unannouncedRuns } from '../../session/state/agent-log.js';
import type { RunLog } from '../../session/state/agent-state.js';
import type { LiveAgent } from '../live-agent.js';
import { noticeText, noticeWorktree } from '../notices/notice.js';
import { handOffWarning } from '../run/hand-off.js';
import { NO_TEXT } from '../run/result.js';
import type { Runtime } from '../runtime.js';
import { endedOf } from './restore-calls.js';
import { settleEnded } from './settle-ended.js';

/** Delivers the notices that `isMine` selects and that no agent holds. */
export async function deliverOwed(
  runtime: Runtime,
  to: LiveAgent,
  logs: readonly AgentLog[],
  isMine: (agent: string) => boolean,
): Promise<void> {
  const isHeld = (key: NoticeKey) => runtime.noticeHolders.of(key) !== undefined;
  for (const owed of owedNotices(logs, isHeld)) {
    if (isMine(owed.to)) await admit(runtime, to, owed.text, { agent: owed.agent, run: owed.run });
  }
  for (const log of logs) {
    if (!isMine(log.spawned.parent)) continue;
    for (const run of unannouncedRuns(log)) {
      const key = { agent: log.agent, run: run.run };
      if (isHeld(key)) continue;
      const made = await noticeOfRun(runtime, log, run, logs);
      if (made !== undefined) await admit(runtime, to, made.words, key, made.check);
    }
  }
}

/**
 * Reports background commands of the earlier process. Those still running were stopped; the outcome of the rest is
 * unknown.
 */
export async function reportLostTasks(runtime: Runtime, to: LiveAgent, tasks: readonly TaskStarted[]): Promise<void> {
  for (const { task, call, command, output } of tasks) {
    const ended = describeEnded(endedOf(runtime, to.id)(call));
    const content = noticeText({
      taskId: task,
      toolUseId: call,
      agent: isCall(task) ? command : 'Bash',
      status: 'stopped',
      summary: `${command.replace(/\s+/g, ' ').slice(0, 120)}: interrupted`,
      result: [lost(isCall(task) ? 'call' : 'command'), ...ended].join(' '),
      usage: 'not known',
      outputFile: output,
    });
    await admit(runtime, to, content, { agent: task, run: 1 });
  }
}

/** True for a tool call that moved to the background; otherwise it is a command. */
function isCall(task: string): boolean {
  return task.startsWith('call-');
}

function lost(what: 'call' | 'command'): string {
  return `Interrupted, outcome unknown: the session ended while this ${what} ran in the background. Look at the state of things, and at the output file, before you run it again.`;
}

async function admit(
  runtime: Runtime,
  { id, inbox }: LiveAgent,
  content: string,
  key: NoticeKey,
  check?: SideRequest,
): Promise<void> {
  await runtime.noticeHolders.give(key, id, () => inbox.admit({ origin: 'notice', key, check }, [text(content)]));
}

/**
 * Notifies a resumed agent of its background children that will not report to it: they ended and another agent has the
 * notice, or they were interrupted and stay so. It may have stopped only to wait for them.
 */
export async function reportUnheardChildren(
  runtime: Runtime,
  to: LiveAgent,
  logs: readonly AgentLog[],
  goesOn: (agent: string) => boolean,
): Promise<void> {
  for (const log of logs) {
    if (log.spawned.parent !== to.id || !log.background) continue;
    const run = log.runs.at(-1)?.run ?? 1;
    const holder = runtime.noticeHolders.of({ agent: log.agent, run });
    const isElsewhere = holder !== undefined && holder !== to.id;
    if (!isElsewhere && (!log.unfinished || goesOn(log.agent))) continue;
    const what = isElsewhere
      ? `has ended while you were interrupted, and the notice of its end went to agent ${holder}. TaskOutput with task_id: "${log.agent}" shows what it said.`
      : `was interrupted before it was done and does not go on by itself. It can be continued: SendMessage with to: "${log.agent}".`;
    const content = reminder(`The agent ${log.agent} (${log.spawned.type}: ${log.spawned.description}) ${what}`);
    const key = `unheard ${log.agent} ${run} ${isElsewhere ? 'ended' : 'interrupted'}`;
    await to.inbox.admit({ origin: 'notice', key }, [text(content)]);
  }
}

/** Undefined if the hand-off check was cut short again; the next resume repeats it. */
async function noticeOfRun(
  runtime: Runtime,
  log: AgentLog,
  run: RunLog,
  logs: readonly AgentLog[],
): Promise<{ readonly words: string; readonly check: SideRequest | undefined } | undefined> {
  const { agent: id, spawned } = log;
  const { type, depth, chain = id } = spawned;
  const check = await handOffWarning(runtime, { id, type, chain, depth, host: runtime.host.at(spawned.cwd) });
  if (check.kind === 'cut-short') return undefined;
  const settled = await settleEnded(runtime, log, run, logs);
  const parent = logs.find(({ agent }) => agent === spawned.parent)?.spawned;
  const warning = check.kind === 'warned' ? `[Hand-off check: ${check.line}]\n` : '';
  const status = run.status === 'completed' || run.status === 'stopped' ? run.status : 'failed';
  const reply = run.result?.text.trim() ?? '';
  const reason = status === 'completed' ? '' : `${run.reason ?? status}\n`;
  const words = noticeText({
    taskId: id,
    toolUseId: spawned.call,
    agent: spawned.name ?? spawned.type,
    status,
    summary: `${spawned.description} ${status}`,
    result: `${warning}${reason}${reply === '' && status === 'completed' ? NO_TEXT : reply}`.trim(),
    usage: `tokens: ${NO_USAGE.input}, not counted: the session ended meanwhile`,
    outputFile: runtime.layout.taskOutput(id),
    worktree: noticeWorktree(spawned, parent, settled),
  });
  return { words, check: check.paid };
}

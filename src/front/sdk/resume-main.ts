/** The main agent of a session that goes on: its conversation made valid, its notices delivered, its agents looked after. */

import { createAgent, prefixFor, replyLimit } from '../../agents/create-agent.js';
import type { Crew } from '../../agents/crew.js';
import type { Member } from '../../agents/member.js';
import { restoreMember } from '../../agents/restore-member.js';
import { applyRepair, restoreState } from '../../agents/restore-state.js';
import { type AgentResult, NO_TEXT, resultText } from '../../agents/result.js';
import { runChild } from '../../agents/run-child.js';
import { reminder } from '../../context/reminder.js';
import { showHooks } from '../../loop/show-hooks.js';
import { text } from '../../protocol/blocks.js';
import { MAIN_AGENT, RESUMED_AUTOMATICALLY } from '../../protocol/events.js';
import { type FrozenBlock, freezeBlock } from '../../protocol/frozen-block.js';
import { neutralizeTags } from '../../protocol/tags.js';
import { type AgentLog, owedNotices } from '../../session/agent-log.js';
import { VERSION } from '../version.js';
import { type MainAgent, mainMember } from './main-agent.js';
import type { Resume } from './resume.js';

/** How often an agent is resumed without a word before it is left to the person. */
const MAX_AUTOMATIC = 3;

export async function resumeMain(main: MainAgent, resume: Resume, auto: boolean, isBranch: boolean): Promise<Member> {
  const { crew, model, mode } = main;
  const { restored } = resume;
  const logs = isBranch ? [] : resume.agents.agents;
  const waiting = new Map<string, AgentLog>();
  const state = restoreState(restored, choosePrefix(main, resume), (callId) => {
    const log = logs.find((one) => one.spawned.parent === MAIN_AGENT && one.spawned.call === callId);
    if (log === undefined) return undefined;
    if (auto && log.unfinished) {
      waiting.set(callId, log);
      return 'wait';
    }
    return settleFrom(log, callId);
  });
  const created = await createAgent(crew, {
    id: MAIN_AGENT,
    type: MAIN_AGENT,
    depth: 0,
    maxTurns: main.maxTurns,
    conversation: state.conversation,
    tools: main.tools,
    permission: { mode, readOnly: false },
    hooks: crew.hooks,
    host: crew.host,
    roots: main.roots,
    budget: crew.budget,
    maxTokens:
      state.resumed.newEpoch === undefined
        ? (restored.epoch?.maxTokens ?? replyLimit(crew, model, crew.budget))
        : replyLimit(crew, model, crew.budget),
    callIds: new Set(restored.callIds),
    transcript: crew.places.file,
    resumed: state.resumed,
  });
  const member = mainMember(created, main.abort, crew);
  crew.members.set(MAIN_AGENT, member);
  const { agent } = member;
  if (isBranch)
    await agent.emit({ kind: 'session-started', session: crew.session, cwd: main.cwd, version: VERSION, model, mode });
  for (const line of [...resume.told, ...state.repair.repairs]) {
    await agent.emit({ kind: 'line-shown', level: 'warning', line });
  }
  for (const log of logs) if (!waiting.has(log.spawned.call)) crew.resting.set(log.agent, log);
  const resumed = auto ? await resumeAgents(crew, logs, member) : new Map<string, Promise<AgentResult>>();
  await applyRepair(agent, state.repair, async (callId) => {
    const log = waiting.get(callId);
    const result = log && (await resumed.get(log.agent));
    return log && result ? resultBlock(callId, result, log) : lostBlock(callId);
  });
  await deliverOwed(member, resume, logs);
  await tellResumed(member, logs, auto);
  const hooks = await showHooks({ agent }, await agent.hooks.run('SessionStart', { source: 'resume', model }));
  for (const context of hooks.context) await agent.inbox.admit('hook', [text(reminder(context))]);
  return member;
}

/** The stored bytes while model and tools are the same by name: then the cache still holds. */
function choosePrefix(main: MainAgent, { prefix }: Resume) {
  const maxTokens = replyLimit(main.crew, main.model, main.crew.budget);
  const today = prefixFor(main.crew, { ...main, maxTokens });
  if (prefix === undefined || prefix.model !== main.model) return today;
  const names = (JSON.parse(prefix.tools.toString('utf8')) as { name: string }[]).map((tool) => tool.name);
  const now = (JSON.parse(today.tools.toString('utf8')) as { name: string }[]).map((tool) => tool.name);
  return names.join(' ') === now.join(' ') ? prefix : today;
}

/** An open Agent call, by what the child's own log says of it. */
function settleFrom(log: AgentLog, callId: string): FrozenBlock {
  if (log.result !== undefined && !log.unfinished) {
    const said = log.result.text.trim() === '' ? NO_TEXT : neutralizeTags(log.result.text);
    return toolResult(callId, said, log.result.status !== 'completed');
  }
  const how = `It can be continued: SendMessage with to: "${log.agent}".`;
  return toolResult(
    callId,
    `The agent ${log.agent} (${log.spawned.type}) was interrupted before it was done. ${how}`,
    true,
  );
}

function resultBlock(callId: string, result: AgentResult, log: AgentLog): FrozenBlock {
  const said = resultText(result, { oneShot: log.spawned.oneShot, canContinue: true });
  return toolResult(callId, said, result.status === 'failed');
}

function lostBlock(callId: string): FrozenBlock {
  return toolResult(
    callId,
    'The agent could not be resumed; what it did is unknown. Look before you do it again.',
    true,
  );
}

function toolResult(callId: string, words: string, isError: boolean): FrozenBlock {
  return freezeBlock({
    type: 'tool_result',
    tool_use_id: callId,
    content: [text(words)],
    ...(isError ? { is_error: true } : {}),
  });
}

/** At once, all that were running; none more often than three times by itself. */
async function resumeAgents(
  crew: Crew,
  logs: readonly AgentLog[],
  main: Member,
): Promise<Map<string, Promise<AgentResult>>> {
  const running = new Map<string, Promise<AgentResult>>();
  for (const log of logs) {
    if (!log.unfinished || (log.runs.at(-1)?.automatic ?? 0) >= MAX_AUTOMATIC) continue;
    const parent = crew.members.get(log.spawned.parent) ?? main;
    const restored = await restoreMember(crew, log, parent);
    if (!restored.ok) {
      await main.agent.emit({ kind: 'line-shown', level: 'error', line: restored.line });
      continue;
    }
    const { member } = restored;
    crew.resting.delete(log.agent);
    for (const line of restored.told) await member.agent.emit({ kind: 'line-shown', level: 'warning', line });
    await member.agent.emit({
      kind: 'agent-state-changed',
      state: 'running',
      run: member.run,
      reason: RESUMED_AUTOMATICALLY,
    });
    member.done = runChild(crew, member);
    running.set(log.agent, member.done);
  }
  return running;
}

/** What was queued and never arrived is delivered now, once: the key says whether it did. */
async function deliverOwed({ agent }: Member, resume: Resume, logs: readonly AgentLog[]): Promise<void> {
  const reached = (to: string) =>
    to === MAIN_AGENT
      ? resume.restored.delivered
      : [...(logs.find((log) => log.agent === to)?.delivered ?? []), ...resume.restored.delivered];
  for (const { agent: from, run, text: words } of owedNotices(logs, reached)) {
    await agent.inbox.admit('notice', [text(words)], { agent: from, run });
  }
}

async function tellResumed({ agent }: Member, logs: readonly AgentLog[], auto: boolean): Promise<void> {
  const open = logs.filter((log) => log.unfinished);
  const date = new Date(agent.host.clock.now()).toISOString().slice(0, 10);
  const lines = [
    `This session was left and goes on now (${date}). Files may have changed; read again before you edit.`,
  ];
  if (open.length > 0 && !auto) {
    lines.push('Agents that were interrupted and can be continued with SendMessage:');
    lines.push(...open.map(({ agent: id, spawned }) => `- ${id} (${spawned.type}): ${spawned.description}`));
  }
  await agent.inbox.admit('reminder', [text(reminder(lines.join('\n')))]);
}

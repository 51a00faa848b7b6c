/** The main agent of a session that goes on: its conversation made valid, its notices delivered, its agents looked after. */

import type { Member } from '../agents/live-agent.js';
import { AutomaticResume } from '../agents/resume/restore-agents.js';
import { closeByLog, findChild } from '../agents/resume/restore-calls.js';
import { deliverOwed, tellLostTasks } from '../agents/resume/restore-notices.js';
import { applyRepair, type CloseAgentCall, restoreState } from '../agents/resume/restore-state.js';
import { createAgent, prefixFor, replyLimit } from '../agents/start/create-agent.js';
import { reminder } from '../context/reminder.js';
import { showHooks } from '../loop/show-hooks.js';
import { text } from '../protocol/blocks.js';
import { MAIN_AGENT } from '../protocol/events.js';
import type { AgentLog } from '../session/state/agent-log.js';
import { type MainAgent, mainMember } from './main-agent.js';
import type { Resume } from './resume.js';
import { VERSION } from './version.js';

export async function resumeMain(main: MainAgent, resume: Resume, auto: boolean, isBranch: boolean): Promise<Member> {
  const { runtime, model, mode } = main;
  const { restored } = resume;
  const logs = isBranch ? [] : resume.agents.agents;
  const automatic = auto ? new AutomaticResume(runtime, logs) : undefined;
  const settle = automatic?.settle(MAIN_AGENT) ?? settleByLogs(logs);
  const state = restoreState(restored, choosePrefix(main, resume), settle);
  const created = await createAgent(runtime, {
    id: MAIN_AGENT,
    type: MAIN_AGENT,
    depth: 0,
    maxTurns: main.maxTurns,
    conversation: state.conversation,
    tools: main.tools,
    permission: { mode, readOnly: false },
    hooks: main.mainHooks,
    host: runtime.host,
    roots: main.roots,
    budget: runtime.budget,
    maxTokens:
      state.resumed.newEpoch === undefined
        ? (restored.epoch?.maxTokens ?? replyLimit(runtime, model, runtime.budget))
        : replyLimit(runtime, model, runtime.budget),
    callIds: new Set(restored.callIds),
    transcript: runtime.layout.file,
    resumed: state.resumed,
  });
  const member = mainMember(created, main);
  runtime.members.set(MAIN_AGENT, member);
  const { agent } = member;
  // A process that died in its first moments left a file without a beginning.
  if (isBranch || restored.records === 0)
    await agent.emit({
      kind: 'session-started',
      session: runtime.session,
      cwd: main.cwd,
      version: VERSION,
      model,
      mode,
    });
  if (restored.history.length === 0 && restored.pending.length === 0) {
    const opening = await runtime.opening({ host: runtime.host, model, omitInstructions: main.omitInstructions });
    await agent.inbox.admit('reminder', [text(opening)]);
  }
  for (const line of [...resume.told, ...state.repair.repairs]) {
    await agent.emit({ kind: 'line-shown', level: 'warning', line });
  }
  for (const log of logs) runtime.ended.set(log.agent, log);
  for (const log of [...logs].sort((a, b) => b.spawned.depth - a.spawned.depth)) {
    runtime.notices.recall(log.agent, log.delivered);
  }
  runtime.notices.recall(MAIN_AGENT, restored.delivered);
  automatic?.start(member);
  const goesOn = (id: string) => automatic?.goesOn(id) ?? false;
  await deliverOwed(runtime, member, logs, restored.delivered, goesOn);
  await tellLostTasks(member, restored.openTasks);
  await applyRepair(agent, state.repair, (callId) => {
    if (automatic === undefined) throw new Error('a child that is waited for was not looked after');
    return automatic.waited(MAIN_AGENT, callId);
  });
  // Where nobody watches, they all finish before the parent goes on.
  if (!runtime.settings.interactive) await automatic?.ended();
  await tellResumed(
    member,
    logs.filter((log) => log.unfinished && !goesOn(log.agent)),
  );
  const hooks = await showHooks({ agent }, await agent.hooks.run('SessionStart', { source: 'resume', model }));
  for (const context of hooks.context) await agent.inbox.admit('hook', [text(reminder(context))]);
  return member;
}

/** The stored bytes while model and tools are the same by name: then the cache still holds. */
function choosePrefix(main: MainAgent, { prefix }: Resume) {
  const maxTokens = replyLimit(main.runtime, main.model, main.runtime.budget);
  const today = prefixFor(main.runtime, { ...main, maxTokens });
  if (prefix === undefined || prefix.model !== main.model) return today;
  const names = (JSON.parse(prefix.tools.toString('utf8')) as { name: string }[]).map((tool) => tool.name);
  const now = (JSON.parse(today.tools.toString('utf8')) as { name: string }[]).map((tool) => tool.name);
  return names.join(' ') === now.join(' ') ? prefix : today;
}

function settleByLogs(logs: readonly AgentLog[]): CloseAgentCall {
  return (callId) => {
    const log = findChild(logs, MAIN_AGENT, callId);
    return log && closeByLog(log, callId);
  };
}

async function tellResumed({ agent }: Member, open: readonly AgentLog[]): Promise<void> {
  const date = new Date(agent.host.clock.now()).toISOString().slice(0, 10);
  const lines = [
    `This session was left and goes on now (${date}). Files may have changed; read again before you edit.`,
  ];
  if (open.length > 0) {
    lines.push('Agents that were interrupted and can be continued with SendMessage:');
    lines.push(...open.map(({ agent: id, spawned }) => `- ${id} (${spawned.type}): ${spawned.description}`));
  }
  await agent.inbox.admit('reminder', [text(reminder(lines.join('\n')))]);
}

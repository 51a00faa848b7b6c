/** Resumes the main agent: its conversation, its children, and what it waits for. */

import type { LiveAgent } from '../agents/live-agent.js';
import { AutomaticResume } from '../agents/resume/restore-agents.js';
import { closeByLog, closeWaited, endedOf, findChild, repairAgent } from '../agents/resume/restore-calls.js';
import { deliverOwed, reportLostTasks } from '../agents/resume/restore-notices.js';
import { settleWaited } from '../agents/resume/settle-ended.js';
import type { Runtime } from '../agents/runtime.js';
import { VERSION } from '../config/version.js';
import { dateOf } from '../context/environment.js';
import { aborted } from '../host/clock.js';
import { dropForeignThinking } from '../loop/epoch.js';
import { text } from '../protocol/blocks.js';
import { MAIN_AGENT } from '../protocol/events.js';
import { reminder } from '../protocol/tags.js';
import { CheckpointWriter } from '../session/checkpoint/checkpoint-writer.js';
import { type CloseAgentCall, type Repair, repairHistory } from '../session/repair/repair-history.js';
import type { AgentLog } from '../session/state/agent-log.js';
import { openTasks } from '../session/state/agent-state.js';
import { admitOpening, type Choice, type MainSetup, recordStart, sessionHooks } from './main-agent.js';
import type { LoadedSession } from './open/load-session.js';
import type { Resources } from './resources.js';

export type ResumeMain = {
  readonly loaded: LoadedSession;
  /** Interrupted agents are resumed at once. */
  readonly resumeAgents: boolean;
  readonly isBranch: boolean;
  /** How long the main agent waits for automatically resumed agents in a headless session. */
  readonly waitMs: number;
};

/** Waits for automatically resumed agents. Returns the ids of those that were stopped because their time was up. */
export type WaitForAgents = () => Promise<readonly string[]>;

/**
 * Repairs the conversation, delivers pending notices, and resumes or lists interrupted agents. Input can be admitted
 * then; the main agent may continue when the returned wait has ended. The signal ends the wait and the children waited
 * for.
 */
export async function resumeMain(
  runtime: Runtime,
  setup: MainSetup,
  main: LiveAgent,
  { mode, model }: Choice,
  { loaded, resumeAgents, isBranch, waitMs }: ResumeMain,
  signal: AbortSignal,
): Promise<WaitForAgents> {
  await restoreSkillHooks(runtime, main);
  const logs = isBranch ? [] : await settleWaited(runtime, loaded.agents.agents);
  const automatic = resumeAgents ? new AutomaticResume(runtime, logs) : undefined;
  const close = automatic?.close(MAIN_AGENT) ?? closeByLogs(logs);
  const repair = repairHistory(main.state, close, endedOf(runtime, MAIN_AGENT));
  const { history, pending } = main.state;
  const isEmpty = history.length === 0 && pending.length === 0;
  // A process that died at once may have left an empty file.
  if (isBranch || isCopy(runtime, main) || main.state.lastSeq === 0) await recordStart(runtime, main, model, mode);
  else if (main.state.mode !== mode) await main.emit({ kind: 'mode-changed', mode });
  if (isEmpty) await admitOpening(runtime, setup, main, model);
  for (const line of [...loaded.notes, ...repair.repairs])
    await main.emit({ kind: 'line-shown', level: 'warning', line });
  // Deepest agents first, so that agents above them win.
  for (const log of [...logs].sort((a, b) => b.spawned.depth - a.spawned.depth)) {
    for (const notice of log.delivered) runtime.noticeHolders.set(notice, log.agent);
  }
  for (const notice of main.state.delivered.values()) runtime.noticeHolders.set(notice, MAIN_AGENT);
  automatic?.start(main, signal);
  const isResumed = (id: string) => automatic?.isResuming(id) ?? false;
  await deliverOwed(runtime, main, logs, (id) => !isResumed(id));
  await reportLostTasks(runtime, main, openTasks(main.state));
  await repairAgent(main, repair);
  await dropForeignThinking(main);
  const open = logs.filter((log) => log.unfinished && !isResumed(log.agent));
  await tellResumed(main, open);
  await sessionHooks(main, 'resume', model, signal);
  return async () => (automatic === undefined ? [] : waitForAgents(runtime, main, repair, automatic, waitMs, signal));
}

/** In a headless session, all of them finish before the main agent continues; otherwise those it waits for. */
async function waitForAgents(
  { host, settings }: Runtime,
  main: LiveAgent,
  repair: Repair,
  automatic: AutomaticResume,
  waitMs: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let stopped: readonly string[] = [];
  const isBounded = !settings.interactive && waitMs !== Number.POSITIVE_INFINITY;
  const stop = () => {
    stopped = automatic.stop();
  };
  const cancel = isBounded ? host.clock.after(waitMs, stop) : () => {};
  try {
    await closeWaited(main, repair, (callId) => automatic.waited(MAIN_AGENT, callId));
    if (!settings.interactive) await Promise.race([automatic.ended(), aborted(signal)]);
    await automatic.reportLeft(main);
  } finally {
    cancel();
  }
  return stopped;
}

/** Hooks of skills stay active from their first use to the end of the session (EX-14). */
async function restoreSkillHooks(runtime: Runtime, main: LiveAgent): Promise<void> {
  for (const [name, what] of Object.entries(main.state.hookedSkills)) {
    const skill = runtime.skills.find(name);
    if (skill !== undefined && (await runtime.restoreHooks(skill, what))) continue;
    const cause = skill === undefined ? 'it no longer exists' : 'it has changed, or is no longer approved';
    const line = `The hooks of skill ${name} are off: ${cause}. Use the skill again to turn them on.`;
    await main.emit({ kind: 'line-shown', level: 'warning', line });
  }
}

/** True if its records are those of the session it was copied from. */
function isCopy({ session }: Runtime, { state: { started } }: LiveAgent): boolean {
  return started !== undefined && started.session !== session;
}

function closeByLogs(logs: readonly AgentLog[]): CloseAgentCall {
  return (callId) => {
    const log = findChild(logs, MAIN_AGENT, callId);
    return log && closeByLog(log, callId);
  };
}

async function tellResumed(main: LiveAgent, open: readonly AgentLog[]): Promise<void> {
  const date = dateOf(main.host);
  const lines = [
    `This session was left and goes on now (${date}). Files may have changed; read again before you edit.`,
  ];
  if (open.length > 0) {
    lines.push('Agents that were interrupted and can be continued with SendMessage:');
    lines.push(...open.map(({ agent: id, spawned }) => `- ${id} (${spawned.type}): ${spawned.description}`));
  }
  const key = `resumed after ${main.state.lastSeq}`;
  await main.inbox.admit({ origin: 'reminder', key, announcements: { date } }, [text(reminder(lines.join('\n')))]);
}

/** The wait of the main agent, after a resume, for automatically resumed agents. */
export class ReturningAgents {
  #wait: WaitForAgents = async () => [];
  #ended: Promise<void> | undefined;
  #stopped: readonly string[] = [];

  expect(wait: WaitForAgents): void {
    this.#wait = wait;
  }

  /** Resolves when the main agent may continue. Rejects if a result could not be saved; the next call tries again. */
  ended(): Promise<void> {
    this.#ended ??= this.#wait().then(
      (stopped) => {
        this.#stopped = stopped;
      },
      (error) => {
        this.#ended = undefined;
        throw error;
      },
    );
    return this.#ended;
  }

  /** The wait, if it is in progress. */
  get pending(): Promise<void> | undefined {
    return this.#ended;
  }

  /** Agents that were stopped because their time was up; returned once. */
  takeStopped(): readonly string[] {
    const stopped = this.#stopped;
    this.#stopped = [];
    return stopped;
  }
}

/** `made`: the state of this resume, if it is worth saving. */
export function scheduleCheckpoints({ host, layout, listeners }: Runtime, resources: Resources, made?: Buffer): void {
  const location = { path: layout.checkpoint, version: VERSION };
  const writer = new CheckpointWriter({ host, transcript: layout.file, place: location });
  resources.add('the checkpoint', () => writer.close());
  if (made !== undefined) writer.save(made);
  listeners.add(
    ({ agent, seq }) => {
      if (agent === MAIN_AGENT && seq !== undefined) writer.compacted(seq);
    },
    ['history-compacted'],
  );
}

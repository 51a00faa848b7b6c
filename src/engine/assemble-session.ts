/** Puts a session together: when the main agent works, how it is woken, and how everything is left. */

import { detach, isAtWork, type Member } from '../agents/live-agent.js';
import { continueAgent } from '../agents/resume/continue-agent.js';
import { endAgent } from '../agents/resume/ended-agents.js';
import { type AgentSnapshot, snapshotOf } from '../agents/snapshot.js';
import { switchModel } from '../agents/switch-model.js';
import { switchTools, withTools } from '../agents/switch-tools.js';
import { listTasks } from '../agents/tools/list-tasks.js';
import { definitionsStamp } from '../config/definitions/load-definitions.js';
import { reminder } from '../context/reminder.js';
import type { Hooks } from '../gate/hooks/hooks.js';
import type { Lock } from '../host/lock.js';
import { newAbort } from '../host/new-abort.js';
import { type RunEnd, runLoop } from '../loop/run-loop.js';
import { showHooks } from '../loop/show-hooks.js';
import { text, type UserBlock } from '../protocol/blocks.js';
import { outcomeText } from '../protocol/outcome.js';
import { NO_USAGE } from '../protocol/usage.js';
import { lockSession } from '../session/store/session-lock.js';
import { TranscriptError } from '../session/transcript/transcript.js';
import type { Tool } from '../tools/tool.js';
import type { BuiltRuntime } from './build-runtime.js';
import { describeCatalogChange } from './catalog-change.js';
import { forkByHand } from './fork-by-hand.js';
import { type Begun, startMain } from './main-agent.js';
import { modelInMode } from './model-in-mode.js';
import type { Resume } from './resume.js';
import { resumeMain } from './resume-main.js';
import { listPrompts, rewindMain } from './rewind-main.js';
import type { Session, Settled } from './session.js';

export type SessionParts = BuiltRuntime & {
  readonly id: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  /** As it was asked for: an alias, an id, or `opusplan`. */
  readonly modelName: string;
  readonly thinks: boolean;
  readonly effort: string | undefined;
  readonly maxTurns: number;
  readonly system: readonly string[];
  readonly mainTools: readonly Tool[];
  readonly omitInstructions: boolean;
  /** Said before the person's first words, when the session runs as an agent that has such. */
  readonly initialPrompt: string | undefined;
  /** The only types the main agent may start; undefined: any. */
  readonly spawns: readonly string[] | undefined;
  readonly mainHooks: Hooks;
  /** What the session goes on from; undefined for a new one. */
  readonly resume: Resume | undefined;
  readonly isBranch: boolean;
  /** Interrupted agents are resumed at once. */
  readonly resumeAgents: boolean;
};

const RESUME_WORDS = 'You were interrupted and go on now. Finish your task from where you stopped.';

/** How long hooks may hold up the end of a session. */
const SESSION_END_MS = 5_000;

export function assembleSession(parts: SessionParts): Session {
  const { runtime } = parts;
  let main: Promise<Member> | undefined;
  let working: Promise<RunEnd> | undefined;
  let lastEnd: RunEnd | undefined;
  let abort = newAbort();
  let mode = parts.startMode;
  let modelName = parts.modelName;
  let model = modelInMode(modelName, mode, runtime.models);
  let tools = parts.mainTools;
  let initialPrompt = parts.initialPrompt;
  const lateTools: Tool[] = [];
  let stamp: string | undefined;
  const forks = new Set<AbortController>();

  let lock: Lock | undefined = parts.resume?.lock;
  const begun: Begun = {};
  // Known from the start: the person may ask what was interrupted before saying anything.
  const known = parts.isBranch ? [] : (parts.resume?.agents.agents ?? []);
  for (const log of known) runtime.ended.set(log.agent, log);

  /** Nothing is written before there is something to keep: the first words. */
  const ready = () => {
    main ??= start();
    return main;
  };

  async function start(): Promise<Member> {
    takeUpTools(undefined);
    const agent = { ...parts, model, mode, tools, abort };
    if (parts.resume !== undefined) return resumeMain(agent, parts.resume, parts.resumeAgents, parts.isBranch);
    if (lock === undefined) {
      const locked = await lockSession(runtime.host, runtime.layout);
      if (!locked.ok) throw new TranscriptError(locked.reason);
      lock = locked.lock;
    }
    return startMain(agent, begun);
  }

  /** Tools that were added are there from the person's next words on, for the main agent and for new children. */
  function takeUpTools(member: Member | undefined): void {
    const late = lateTools.splice(0);
    if (late.length === 0) return;
    runtime.tools = withTools(runtime.tools, late);
    tools = withTools(tools, late);
    if (member === undefined) return;
    const { thinks, effort, system } = parts;
    switchTools(runtime, member.agent, { model, thinks, effort, system, maxTokens: member.agent.maxTokens, tools });
  }

  /** New kinds of agents are taken up between prompts; what the model was told once stays as it is. */
  async function takeUpDefinitions({ agent }: Member): Promise<void> {
    const now = await definitionsStamp(parts.definitions);
    const changed = stamp !== undefined && stamp !== now;
    stamp = now;
    if (!changed) return;
    const before = runtime.catalog;
    runtime.catalog = await parts.catalogOf(parts.definitions);
    const words = describeCatalogChange(before, runtime.catalog);
    if (words !== undefined) await agent.inbox.admit('reminder', [text(reminder(words))]);
  }

  /** Puts the person's words on disk; a line is why they were not taken. */
  async function admit(prompt: readonly UserBlock[]): Promise<string | undefined> {
    const member = await ready();
    const { agent } = member;
    if (working === undefined) {
      await takeUpDefinitions(member);
      takeUpTools(member);
    }
    const first = initialPrompt === undefined ? [] : [text(initialPrompt)];
    initialPrompt = undefined;
    const words = prompt.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    const verdict = await showHooks(
      { agent },
      await agent.hooks.run('UserPromptSubmit', { prompt: words }, { signal: abort.signal }),
    );
    if (verdict.decision === 'deny' || verdict.stop !== undefined) {
      return `a hook refused the prompt: ${verdict.reason ?? verdict.stop ?? 'no reason given'}`;
    }
    await agent.inbox.admit('person', [...first, ...prompt]);
    for (const context of verdict.context) await agent.inbox.admit('hook', [text(reminder(context))]);
    return undefined;
  }

  /** Lets the main agent work until nothing waits for it. There is one such work at a time. */
  function drive(): Promise<RunEnd> {
    if (working !== undefined) return working;
    const { signal } = abort;
    working = guarded(async () => {
      const member = await ready();
      const { agent } = member;
      member.state = 'running';
      for (;;) {
        const end = await runLoop({ agent, ports: runtime.ports, signal }).finally(() => {
          member.state = 'waiting';
        });
        if (agent.inbox.asks && end.reason === 'completed') {
          member.state = 'running';
          continue;
        }
        // Here and now: whoever speaks after this starts a new work.
        working = undefined;
        lastEnd = end;
        return end;
      }
    });
    return working;
  }

  /** What can't be saved must not go on. What was there before is whole; the next words try again. */
  async function guarded(work: () => Promise<RunEnd>): Promise<RunEnd> {
    try {
      return await work();
    } catch (error) {
      working = undefined;
      if (!(error instanceof TranscriptError)) throw error;
      await main?.catch(() => {
        main = undefined;
      });
      const line = `${error.message}. Nothing before it is lost; make room (or mend the disk) and send again`;
      return { reason: 'not_saved', text: '', turns: 0, usage: NO_USAGE, line };
    }
  }

  /** An interruption is for the work under way: what is begun afterwards starts anew. */
  const renewAbort = () => {
    if (working === undefined && abort.signal.aborted) abort = newAbort();
  };

  let timeIsUp = false;
  runtime.wakeMain = () => {
    if (runtime.isClosing || timeIsUp) return;
    renewAbort();
    void drive();
  };

  /** Agents that rest, as they stood when they ended. */
  const ended = new Map<string, AgentSnapshot>();
  runtime.onFinished = (member) => {
    ended.set(member.agent.id, snapshotOf(member, runtime));
    endAgent(runtime, member);
  };

  const atWork = () =>
    [...runtime.members.values()].filter((member) => member.parent !== undefined && isAtWork(member));
  const shells = () => [...runtime.shellTasks.values()].filter((task) => task.status === 'running');

  async function useModel(name: string): Promise<void> {
    modelName = name;
    model = modelInMode(name, mode, runtime.models);
    if (main === undefined) return;
    const { agent } = await main;
    await switchModel(runtime, agent, { model, thinks: parts.thinks, effort: parts.effort, system: parts.system });
  }

  async function settled(waitMs = Number.POSITIVE_INFINITY): Promise<Settled> {
    const until = runtime.host.clock.elapsed() + waitMs;
    const before = lastEnd;
    const outcome = (stopped: readonly string[]) => ({ end: lastEnd === before ? undefined : lastEnd, stopped });
    for (;;) {
      if (working !== undefined) {
        await working;
        continue;
      }
      // One that is still being made ready has nothing to wait for yet: look again in a moment.
      const agents = atWork().map((member) => member.done ?? runtime.host.clock.sleep(1));
      const open = [...agents, ...shells().map((task) => task.done), ...runtime.finishing];
      if (open.length === 0) return outcome([]);
      const left = until - runtime.host.clock.elapsed();
      const waited = new AbortController();
      const sleep =
        left === Number.POSITIVE_INFINITY ? [] : [runtime.host.clock.sleep(Math.max(0, left), waited.signal)];
      await Promise.race([...open, ...sleep]);
      waited.abort();
      if (runtime.host.clock.elapsed() < until) continue;
      const names = [...atWork().map((member) => member.agent.id), ...shells().map((task) => task.id)];
      // Their notices wait for the next words: no further turn is begun for them.
      timeIsUp = true;
      await Promise.all(listTasks(runtime).map((task) => task.stop('budget')));
      await Promise.all(runtime.finishing);
      timeIsUp = false;
      return outcome(names);
    }
  }

  return {
    id: parts.id,
    cwd: parts.cwd,
    get model() {
      return model;
    },
    transcript: runtime.layout.file,
    get tools() {
      return tools;
    },
    get mode() {
      return mode;
    },
    models: runtime.models,
    warnings: parts.warnings,
    watch: (watcher) => {
      runtime.listeners.add(watcher);
      return () => runtime.listeners.delete(watcher);
    },
    send: (prompt) =>
      guarded(async () => {
        renewAbort();
        const refusal = await admit(typeof prompt === 'string' ? [text(prompt)] : prompt);
        if (refusal === undefined) return drive();
        return { reason: 'hook_stopped', text: '', turns: 0, usage: NO_USAGE, line: refusal };
      }),
    settled,
    fork: async (directive, options = {}) => {
      const parent = await (parts.resume === undefined ? main : ready());
      const own = newAbort();
      forks.add(own);
      const result = await forkByHand(runtime, parent, directive, options, own.signal);
      forks.delete(own);
      return result;
    },
    tasks: () => listTasks(runtime),
    toBackground: (agentId) =>
      atWork().filter((member) => (agentId === undefined || member.agent.id === agentId) && detach(member)).length,
    snapshot: () => [
      ...[...ended.values()].filter(({ id }) => !runtime.members.has(id)),
      ...[...runtime.members.values()].map((member) => snapshotOf(member, runtime)),
    ],
    interrupt: () => abort.abort(),
    setMode: async (next) => {
      mode = next;
      parts.onMode(next);
      if (main === undefined) return;
      const { agent } = await main;
      agent.permission.mode = next;
      await agent.emit({ kind: 'mode-changed', mode: next });
      await useModel(modelName);
    },
    setModel: useModel,
    addTools: (more) => {
      lateTools.push(...more);
    },
    prompts: () => listPrompts(runtime),
    rewind: async (request) => {
      if (working !== undefined || atWork().length > 0) {
        return { ok: false, reason: 'something is at work; interrupt or stop it first' };
      }
      if (main === undefined && parts.resume === undefined) return { ok: false, reason: 'nothing was said yet' };
      return rewindMain(runtime, await ready(), request);
    },
    resumeAgent: async (agentId, words = RESUME_WORDS) => {
      await ready();
      const log = runtime.ended.get(agentId);
      if (log === undefined) return runtime.members.has(agentId) ? 'it is at work' : `there is no agent ${agentId}`;
      const outcome = await continueAgent(runtime, log, text(words), 'person');
      return outcome.isError ? outcomeText(outcome) : undefined;
    },
    close: async (reason = 'other') => {
      if (runtime.isClosing) return;
      runtime.isClosing = true;
      abort.abort();
      for (const fork of forks) fork.abort();
      for (const member of atWork()) member.abort.abort();
      for (const member of runtime.members.values()) member.leaving?.abort();
      await Promise.all(shells().map((task) => task.stop('person')));
      await working?.catch(() => {});
      await Promise.all([...runtime.members.values()].map((member) => member.done));
      await Promise.all(runtime.finishing);
      const opened = await main?.catch(() => undefined);
      if (opened !== undefined) {
        const { agent, transcript } = opened;
        const quick = AbortSignal.timeout(SESSION_END_MS);
        await showHooks({ agent }, await agent.hooks.run('SessionEnd', { reason }, { signal: quick }));
        await transcript.close();
      }
      await parts.sandbox?.close();
      await lock?.release();
    },
  };
}

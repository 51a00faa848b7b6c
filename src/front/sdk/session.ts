/** A session: one conversation with a person, its agents and its state on disk. */

import { type CreatedAgent, createAgent, prefixFor, replyLimit } from '../../agents/create-agent.js';
import { takeCompletePoint } from '../../agents/fork.js';
import type { Member } from '../../agents/member.js';
import type { AgentResult } from '../../agents/result.js';
import { type AgentSnapshot, snapshotOf } from '../../agents/snapshot.js';
import { spawn } from '../../agents/spawn.js';
import { switchModel } from '../../agents/switch-model.js';
import { definitionsStamp } from '../../config/definitions/load-definitions.js';
import { reminder } from '../../context/reminder.js';
import { newAbort } from '../../host/new-abort.js';
import { type RunEnd, runLoop } from '../../loop/run-loop.js';
import { showHooks } from '../../loop/show-hooks.js';
import { Conversation } from '../../model/conversation.js';
import { type ModelOverrides, resolveModel } from '../../model/models.js';
import { text, type UserBlock } from '../../protocol/blocks.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import type { PermissionMode } from '../../protocol/permission.js';
import { NO_USAGE } from '../../protocol/usage.js';
import type { Watcher } from '../../session/emit.js';
import { TranscriptError } from '../../session/transcript.js';
import type { Tool } from '../../tools/tool.js';
import { VERSION } from '../version.js';
import type { BuiltCrew } from './build-crew.js';
import { describeCatalogChange } from './catalog-change.js';

export interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly model: string;
  readonly transcript: string;
  readonly tools: readonly Tool[];
  readonly mode: PermissionMode;
  /** Model data that settings changed, for whoever adds up money. */
  readonly models: ModelOverrides;
  /** Things to know that came up while opening. */
  readonly warnings: readonly string[];
  /** Sees everything that happens from now on; answers how to stop watching. */
  watch(watcher: Watcher): () => void;
  /**
   * Says something to the agent and lets it work until it is done. While it works already, the words reach it at its
   * next safe point, and the promise is that of the work under way. Never rejects: what went wrong is in the result.
   */
  send(prompt: string | readonly UserBlock[]): Promise<RunEnd>;
  /** Starts a child with the whole conversation so far, and resolves with what it came to. */
  fork(directive: string, options?: { readonly name?: string; readonly description?: string }): Promise<AgentResult>;
  /** Every agent of the session as it stands now. */
  snapshot(): readonly AgentSnapshot[];
  /** Ends the work under way within a second and leaves a conversation that can go on. */
  interrupt(): void;
  setMode(mode: PermissionMode): Promise<void>;
  /** From the next request on. Starts a new epoch: the cache belongs to a model. */
  setModel(model: string): Promise<void>;
  close(reason?: string): Promise<void>;
}

export type SessionParts = BuiltCrew & {
  readonly id: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly model: string;
  readonly thinks: boolean;
  readonly effort: string | undefined;
  readonly maxTurns: number;
  readonly system: readonly string[];
};

/** How long hooks may hold up the end of a session. */
const SESSION_END_MS = 5_000;

export function assembleSession(parts: SessionParts): Session {
  const { crew } = parts;
  let main: Promise<Member> | undefined;
  let working: Promise<RunEnd> | undefined;
  let abort = newAbort();
  let mode = parts.startMode;
  let model = parts.model;
  let stamp: string | undefined;
  const forks = new Set<AbortController>();

  /** Nothing is written before there is something to keep: the first words. */
  async function start(): Promise<Member> {
    const created = await createMain(parts, mode, model);
    const { agent } = created;
    const member = mainMember(created, abort);
    crew.members.set(agent.id, member);
    await agent.emit({ kind: 'session-started', session: parts.id, cwd: parts.cwd, version: VERSION, model, mode });
    await agent.inbox.admit('reminder', [
      text(await crew.opening({ host: crew.host, model, omitInstructions: false })),
    ]);
    const hooks = await showHooks({ agent }, await agent.hooks.run('SessionStart', { source: 'startup', model }));
    for (const context of hooks.context) await agent.inbox.admit('hook', [text(reminder(context))]);
    return member;
  }

  /** New kinds of agents are taken up between prompts; what the model was told once stays as it is. */
  async function takeUpDefinitions(agent: Member['agent']): Promise<void> {
    const now = await definitionsStamp(parts.definitions);
    const changed = stamp !== undefined && stamp !== now;
    stamp = now;
    if (!changed) return;
    const before = crew.catalog;
    crew.catalog = await parts.catalogOf(parts.definitions);
    const words = describeCatalogChange(before, crew.catalog);
    if (words !== undefined) await agent.inbox.admit('reminder', [text(reminder(words))]);
  }

  async function work(prompt: readonly UserBlock[]): Promise<RunEnd> {
    try {
      main ??= start();
      const { agent } = await main;
      await takeUpDefinitions(agent);
      const words = prompt.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
      const { signal } = abort;
      const verdict = await showHooks(
        { agent },
        await agent.hooks.run('UserPromptSubmit', { prompt: words }, { signal }),
      );
      if (verdict.decision === 'deny' || verdict.stop !== undefined) {
        const line = `a hook refused the prompt: ${verdict.reason ?? verdict.stop ?? 'no reason given'}`;
        return { reason: 'hook_stopped', text: '', turns: 0, usage: NO_USAGE, line };
      }
      await agent.inbox.admit('person', prompt);
      for (const context of verdict.context) await agent.inbox.admit('hook', [text(reminder(context))]);
      let end: RunEnd;
      do {
        end = await runLoop({ agent, ports: crew.ports, signal });
      } while (agent.inbox.asks && end.reason === 'completed');
      return end;
    } catch (error) {
      if (!(error instanceof TranscriptError)) throw error;
      // Nothing may go on that isn't on disk. What was there before is whole; the next words try again.
      await main?.catch(() => {
        main = undefined;
      });
      const line = `${error.message}. Nothing before it is lost; make room (or mend the disk) and send again`;
      return { reason: 'not_saved', text: '', turns: 0, usage: NO_USAGE, line };
    }
  }

  return {
    id: parts.id,
    cwd: parts.cwd,
    get model() {
      return model;
    },
    transcript: crew.places.file,
    tools: crew.tools,
    get mode() {
      return mode;
    },
    models: crew.models,
    warnings: parts.warnings,
    watch: (watcher) => {
      crew.watchers.add(watcher);
      return () => crew.watchers.delete(watcher);
    },
    send: async (prompt) => {
      const blocks = typeof prompt === 'string' ? [text(prompt)] : prompt;
      if (working !== undefined && main !== undefined) {
        await (await main).agent.inbox.admit('person', blocks);
        return working;
      }
      abort = newAbort();
      working = work(blocks).finally(() => {
        working = undefined;
      });
      return working;
    },
    fork: async (directive, options = {}) => {
      if (crew.rules.forkSwitchedOff) return notStarted('forks are switched off (COPPICE_FORK_SUBAGENT=0)');
      const parent = await main;
      const point = parent && takeCompletePoint(parent.agent);
      if (parent === undefined || point === undefined) {
        return notStarted('there is nothing to fork from yet: send a prompt first');
      }
      const own = newAbort();
      forks.add(own);
      const spawned = await spawn(crew, {
        parent,
        call: `fork-${crew.host.newId()}`,
        prompt: directive,
        description: options.description ?? directive.slice(0, 60),
        name: options.name,
        model: undefined,
        maxTurns: undefined,
        maxUsd: undefined,
        cwd: undefined,
        signal: own.signal,
        kind: { fork: point },
      });
      if (!spawned.ok) return notStarted(spawned.reason);
      const result = await spawned.member.done;
      forks.delete(own);
      return result ?? notStarted('it was never started');
    },
    snapshot: () => [...crew.members.values()].map((member) => snapshotOf(member, crew)),
    interrupt: () => abort.abort(),
    setMode: async (next) => {
      mode = next;
      parts.onMode(next);
      if (main === undefined) return;
      const { agent } = await main;
      agent.permission.mode = next;
      await agent.emit({ kind: 'mode-changed', mode: next });
    },
    setModel: async (name) => {
      model = resolveModel(name, crew.models);
      if (main === undefined) return;
      const { agent } = await main;
      await switchModel(crew, agent, { model, thinks: parts.thinks, effort: parts.effort, system: parts.system });
    },
    close: async (reason = 'other') => {
      abort.abort();
      for (const fork of forks) fork.abort();
      await working?.catch(() => {});
      await Promise.all([...crew.members.values()].map((member) => member.done));
      if (main === undefined) return;
      const { agent, transcript } = await main;
      const quick = AbortSignal.timeout(SESSION_END_MS);
      await showHooks({ agent }, await agent.hooks.run('SessionEnd', { reason }, { signal: quick }));
      await transcript.close();
    },
  };
}

function createMain(parts: SessionParts, mode: PermissionMode, model: string): Promise<CreatedAgent> {
  const { crew } = parts;
  const wish = { model, thinks: parts.thinks, effort: parts.effort, tools: crew.tools, system: parts.system };
  return createAgent(crew, {
    id: MAIN_AGENT,
    type: MAIN_AGENT,
    depth: 0,
    maxTurns: parts.maxTurns,
    conversation: new Conversation(prefixFor(crew, wish)),
    tools: crew.tools,
    permission: { mode, readOnly: false },
    hooks: crew.hooks,
    host: crew.host,
    roots: parts.roots,
    budget: crew.budget,
    maxTokens: replyLimit(crew, model, crew.budget),
    transcript: crew.places.file,
  });
}

function mainMember({ agent, transcript }: CreatedAgent, abort: AbortController): Member {
  return {
    agent,
    transcript,
    parent: undefined,
    call: undefined,
    description: 'the session',
    name: undefined,
    isFork: false,
    oneShot: false,
    spawns: undefined,
    abort,
    startedAt: agent.host.clock.elapsed(),
    state: 'running',
    run: 1,
    stoppedBy: undefined,
    place: undefined,
    done: undefined,
  };
}

function notStarted(line: string): AgentResult {
  const facts = { agentId: '', agentType: 'fork', model: '', toolUses: 0, durationMs: 0, usage: NO_USAGE };
  return { status: 'failed', ...facts, reason: 'not_started', line, content: '' };
}

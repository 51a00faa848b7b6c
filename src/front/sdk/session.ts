/** A session: one conversation with a person, its agent and its state on disk. */

import { type CreatedAgent, createAgent } from '../../agents/create-agent.js';
import type { Crew } from '../../agents/crew.js';
import { describeEnvironment, gatherEnvironment } from '../../context/environment.js';
import { describeInstructions, type Instructions } from '../../context/instructions.js';
import { reminder } from '../../context/reminder.js';
import { type RunEnd, runLoop } from '../../loop/run-loop.js';
import { showHooks } from '../../loop/show-hooks.js';
import type { ModelOverrides } from '../../model/models.js';
import { text, type UserBlock } from '../../protocol/blocks.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import type { PermissionMode } from '../../protocol/permission.js';
import { NO_USAGE } from '../../protocol/usage.js';
import type { Watcher } from '../../session/emit.js';
import { TranscriptError } from '../../session/transcript.js';
import type { Tool } from '../../tools/tool.js';
import { VERSION } from '../version.js';

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
  /** Ends the work under way within a second and leaves a conversation that can go on. */
  interrupt(): void;
  setMode(mode: PermissionMode): Promise<void>;
  close(reason?: string): Promise<void>;
}

export type SessionParts = {
  readonly id: string;
  readonly crew: Crew;
  readonly cwd: string;
  readonly repoRoot: string | undefined;
  readonly roots: readonly string[];
  readonly model: string;
  readonly thinks: boolean;
  readonly effort: string | undefined;
  readonly mode: PermissionMode;
  readonly maxTurns: number;
  readonly system: readonly string[];
  readonly tools: readonly Tool[];
  readonly instructions: Instructions;
  readonly warnings: readonly string[];
  /** Kept in step with the mode, for hooks. */
  readonly onMode: (mode: PermissionMode) => void;
};

export function assembleSession(parts: SessionParts): Session {
  const { crew } = parts;
  let main: Promise<CreatedAgent> | undefined;
  let working: Promise<RunEnd> | undefined;
  let abort = new AbortController();
  let mode = parts.mode;

  /** Nothing is written before there is something to keep: the first words. */
  async function start(): Promise<CreatedAgent> {
    const created = await createAgent(crew, {
      id: MAIN_AGENT,
      type: MAIN_AGENT,
      depth: 0,
      model: parts.model,
      thinks: parts.thinks,
      ...(parts.effort === undefined ? {} : { effort: parts.effort }),
      maxTurns: parts.maxTurns,
      system: parts.system,
      tools: parts.tools,
      permission: { mode, readOnly: false },
      host: crew.host,
      roots: parts.roots,
      transcript: crew.places.file,
    });
    const { agent } = created;
    const { id: session, cwd, model } = parts;
    await agent.emit({ kind: 'session-started', session, cwd, version: VERSION, model, mode });
    const facts = await gatherEnvironment(crew.host, parts);
    const pages = [describeEnvironment(facts)];
    if (parts.instructions.files.length > 0) pages.push(describeInstructions(parts.instructions.files));
    await agent.inbox.admit('reminder', [text(reminder(pages.join('\n\n')))]);
    const hooks = await showHooks({ agent }, await agent.hooks.run('SessionStart', { source: 'startup', model }));
    for (const context of hooks.context) await agent.inbox.admit('hook', [text(reminder(context))]);
    return created;
  }

  async function work(prompt: readonly UserBlock[]): Promise<RunEnd> {
    try {
      main ??= start();
      const { agent } = await main;
      const words = prompt.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
      const verdict = await showHooks(
        { agent },
        await agent.hooks.run('UserPromptSubmit', { prompt: words }, { signal: abort.signal }),
      );
      if (verdict.decision === 'deny' || verdict.stop !== undefined) {
        const line = `a hook refused the prompt: ${verdict.reason ?? verdict.stop ?? 'no reason given'}`;
        return { reason: 'hook_stopped', text: '', turns: 0, usage: NO_USAGE, line };
      }
      await agent.inbox.admit('person', prompt);
      for (const context of verdict.context) await agent.inbox.admit('hook', [text(reminder(context))]);
      let end: RunEnd;
      do {
        end = await runLoop({ agent, ports: crew.ports, signal: abort.signal });
      } while (agent.inbox.asks && end.reason === 'completed');
      return end;
    } catch (error) {
      if (!(error instanceof TranscriptError)) throw error;
      // Nothing may go on that isn't on disk. What was there before is whole; the next words try again.
      if (main !== undefined) await main.catch(() => (main = undefined));
      const line = `${error.message}. Nothing before it is lost; make room (or mend the disk) and send again`;
      return { reason: 'not_saved', text: '', turns: 0, usage: NO_USAGE, line };
    }
  }

  return {
    id: parts.id,
    cwd: parts.cwd,
    model: parts.model,
    transcript: crew.places.file,
    tools: parts.tools,
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
      abort = new AbortController();
      working = work(blocks).finally(() => {
        working = undefined;
      });
      return working;
    },
    interrupt: () => abort.abort(),
    setMode: async (next) => {
      mode = next;
      parts.onMode(next);
      if (main === undefined) return;
      const { agent } = await main;
      agent.permission.mode = next;
      await agent.emit({ kind: 'mode-changed', mode: next });
    },
    close: async (reason = 'other') => {
      abort.abort();
      await working?.catch(() => {});
      if (main === undefined) return;
      const { agent, transcript } = await main;
      const quick = AbortSignal.timeout(SESSION_END_MS);
      await showHooks({ agent }, await agent.hooks.run('SessionEnd', { reason }, { signal: quick }));
      await transcript.close();
    },
  };
}

/** How long hooks may hold up the end of a session. */
const SESSION_END_MS = 5_000;

/** The main agent of a session: made with the first words, and the root of its tree. */

import type { Member } from '../agents/live-agent.js';
import { OutputLog } from '../agents/run/output-log.js';
import type { Runtime } from '../agents/runtime.js';
import { type CreatedAgent, createAgent, prefixFor, replyLimit } from '../agents/start/create-agent.js';
import { reminder } from '../context/reminder.js';
import type { Hooks } from '../gate/hooks/hooks.js';
import { showHooks } from '../loop/show-hooks.js';
import { Conversation } from '../model/conversation.js';
import { text } from '../protocol/blocks.js';
import { MAIN_AGENT } from '../protocol/events.js';
import type { PermissionMode } from '../protocol/permission.js';
import type { Tool } from '../tools/tool.js';
import { VERSION } from './version.js';

export type MainAgent = {
  readonly runtime: Runtime;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly model: string;
  readonly mode: PermissionMode;
  readonly thinks: boolean;
  readonly effort: string | undefined;
  readonly maxTurns: number;
  readonly system: readonly string[];
  readonly tools: readonly Tool[];
  readonly omitInstructions: boolean;
  readonly abort: AbortController;
  readonly spawns: readonly string[] | undefined;
  readonly mainHooks: Hooks;
};

/** What a start that broke off (a full disk) had made already: the next one goes on from there. */
export type Begun = { member?: Member };

export async function startMain(main: MainAgent, begun: Begun): Promise<Member> {
  const { runtime, model, mode } = main;
  begun.member ??= mainMember(await createMain(main), main);
  const { member } = begun;
  runtime.members.set(MAIN_AGENT, member);
  const { agent, transcript } = member;
  if (transcript.lastSeq === 0) {
    await agent.emit({
      kind: 'session-started',
      session: runtime.session,
      cwd: main.cwd,
      version: VERSION,
      model,
      mode,
    });
  }
  if (transcript.lastSeq === 1) {
    const opening = await runtime.opening({ host: runtime.host, model, omitInstructions: main.omitInstructions });
    await agent.inbox.admit('reminder', [text(opening)]);
  }
  const { signal } = main.abort;
  const started = await agent.hooks.run('SessionStart', { source: 'startup', model }, { signal });
  const hooks = await showHooks({ agent }, started);
  for (const context of hooks.context) await agent.inbox.admit('hook', [text(reminder(context))]);
  return member;
}

function createMain(main: MainAgent): Promise<CreatedAgent> {
  const { runtime, model } = main;
  const maxTokens = replyLimit(runtime, model, runtime.budget);
  return createAgent(runtime, {
    id: MAIN_AGENT,
    type: MAIN_AGENT,
    depth: 0,
    maxTurns: main.maxTurns,
    conversation: new Conversation(prefixFor(runtime, { ...main, maxTokens })),
    tools: main.tools,
    permission: { mode: main.mode, readOnly: false },
    hooks: main.mainHooks,
    host: runtime.host,
    roots: main.roots,
    budget: runtime.budget,
    maxTokens,
    transcript: runtime.layout.file,
  });
}

export function mainMember({ agent, transcript }: CreatedAgent, { runtime, abort, spawns }: MainAgent): Member {
  return {
    agent,
    transcript,
    parent: undefined,
    spawned: undefined,
    call: undefined,
    description: 'the session',
    name: undefined,
    isFork: false,
    oneShot: false,
    spawns,
    abort,
    startedAt: runtime.host.clock.elapsed(),
    output: new OutputLog(runtime.host, runtime.layout.taskOutput(MAIN_AGENT)),
    background: false,
    onDetach: undefined,
    unfollow: () => {},
    state: 'waiting',
    run: 1,
    stoppedBy: undefined,
    slot: undefined,
    done: undefined,
    result: undefined,
    knows: new Map(),
  };
}

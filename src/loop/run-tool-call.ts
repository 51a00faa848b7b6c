/**
 * One tool call, from the model's request to the result block. The order is guaranteed: parse → hooks before → gate →
 * (ask) → files saved → intent → effect → bounds → hooks after.
 */

import { basename, dirname } from 'node:path';
import type { GatedCall } from '../gate/gate.js';
import { type HookVerdict, NO_VERDICT } from '../gate/hooks/combine.js';
import { answerFields, callFields } from '../gate/hooks/hook-events.js';
import { showHooks } from '../gate/hooks/hooks.js';
import { markProcesses } from '../host/process-mark.js';
import type { ProcessCommand } from '../host/processes.js';
import { text } from '../protocol/blocks.js';
import type { AgentMemory } from '../protocol/events.js';
import { freezeBlock } from '../protocol/frozen-block.js';
import { failed, outcomeText, responseOf, type ToolOutcome } from '../protocol/outcome.js';
import { neutralizeContent } from '../protocol/tags.js';
import type { TodoItem } from '../protocol/tools/todo-write.js';
import { boundOutcome } from '../tools/bounds.js';
import type { BackgroundCommand, ConfineOptions, OwnMemory, Tool, ToolContext } from '../tools/tool.js';
import { FileChanges } from './file-changes.js';
import { type ParsedCall, parseCall, toolCrashed } from './parse-call.js';
import { denied, passGate } from './pass-gate.js';
import type { Call, Run } from './run.js';

/** The end of a call, after its result is recorded. `outcome`: as recorded; absent if nothing was tried. */
export type CallEnd = {
  /** A reason to end the run. */
  readonly stop?: string;
  /** The run ends successfully with this text. */
  readonly conclusion?: string;
  /** For a tool that concludes the run: its output as a value. */
  readonly structured?: { readonly value: unknown };
  readonly outcome?: Pick<ToolOutcome, 'isError' | 'content'>;
  /** The call was started and may have had effects. */
  readonly effects?: true;
};

/** How long an aborted tool may take to finish. */
const ABORT_GRACE_MS = 900;
/** Longer, because a child first aborts its own calls; its result then names it and says that it can be resumed. */
const CHILD_GRACE_MS = 10_000;

export async function runToolCall(run: Run, call: Call): Promise<CallEnd> {
  run.agent.activity.callOpened();
  try {
    return await passThrough(run, call);
  } finally {
    run.agent.activity.callClosed();
  }
}

async function passThrough(run: Run, call: Call): Promise<CallEnd> {
  const started = run.agent.host.clock.elapsed();
  let effects = false;
  let { name } = call.use;
  const finish = (outcome: ToolOutcome, stop?: string) =>
    finishCall(run, call, { tool: name, started, effects, outcome, stop });
  if (run.signal.aborted) return finish(failed('Not started: the person interrupted.'));
  const { refusesCalls } = run.agent;
  if (refusesCalls !== undefined) return finish(failed(refusesCalls));

  const parsed = parseCall(run, call, call.use.input, call.typed ? undefined : 'by the model');
  if (parsed.kind === 'immediate') {
    const { fault } = parsed;
    if (fault) await run.agent.emit({ kind: 'fault-met', ...fault });
    return finish(parsed.outcome);
  }
  name = parsed.tool.name;
  await run.agent.emit({ kind: 'call-started', call: call.use.id, tool: parsed.tool.name, input: parsed.call.input });

  const before = await hooksBefore(run, parsed);
  if (before.decision === 'deny') {
    return finish(await denied(run, parsed.call, 'hook', before.reason ?? 'a hook said no'), before.stop);
  }
  const hooked = before.updatedInput === undefined ? parsed : parseCall(run, call, before.updatedInput);
  if (hooked.kind === 'immediate') return finish(hooked.outcome);

  // Input changed by a hook is no longer what the user typed.
  const isByUser = call.typed === true && hooked === parsed;
  const permitted = await passGate(run, call, hooked, before.decision, before.reason, 0, isByUser);
  if (permitted.kind === 'immediate') {
    const { conclusion } = permitted;
    return {
      ...(await finish(permitted.outcome, permitted.stop)),
      ...(conclusion === undefined ? {} : { conclusion }),
    };
  }

  const { tool, input } = permitted;
  const changes = new FileChanges(run, call.use.id, permitted);
  const saved = await changes.backUp();
  if (!saved.ok) return finish(failed(saved.reason));
  effects = hasEffects(permitted.call);
  if (effects) await run.agent.emit({ kind: 'call-intended', call: call.use.id, tool: tool.name, ...asideOf(call) });
  const todos = { items: run.agent.state.todos as readonly TodoItem[] };
  const context = callContext(run, call.use.id, permitted, todos, changes);
  const outcome = await runEffect(run, tool, input, context);
  await changes.noteEnd();
  if (todos.items !== run.agent.state.todos) await run.agent.emit({ kind: 'todos-changed', items: todos.items });
  const bounded = await boundOutcome(outcome, context, tool.maxResultChars);
  const after = await hooksAfter(run, permitted, bounded);
  if (!call.aside) await addInstructions(run, permitted.call);
  const blocked = after.decision === 'deny' ? [`A hook objects: ${after.reason ?? 'no reason given'}`] : [];
  const additions = [...saved.notes, ...before.context, ...after.context, ...blocked].map(text);
  const end = await finish({ ...bounded, content: [...bounded.content, ...additions] }, after.stop ?? outcome.stop);
  // If a hook objects, the model has to correct the value.
  return blocked.length === 0 && tool.concludes === true ? { ...end, ...concludedBy(outcome) } : end;
}

function concludedBy({ conclusion }: ToolOutcome): Pick<CallEnd, 'conclusion' | 'structured'> {
  return conclusion === undefined ? {} : { conclusion: JSON.stringify(conclusion.value), structured: conclusion };
}

async function hooksBefore(run: Run, { tool, call }: ParsedCall): Promise<HookVerdict> {
  if (!run.agent.hooks.has('PreToolUse')) return NO_VERDICT;
  return showHooks(run, await run.agent.hooks.run('PreToolUse', callFields(call), hookOptions(run, tool)));
}

async function hooksAfter(run: Run, { tool, call }: ParsedCall, outcome: ToolOutcome): Promise<HookVerdict> {
  const event = outcome.isError ? 'PostToolUseFailure' : 'PostToolUse';
  if (!run.agent.hooks.has(event)) return NO_VERDICT;
  const { hooks } = run.agent;
  const options = hookOptions(run, tool);
  const verdict = outcome.isError
    ? hooks.run('PostToolUseFailure', { ...callFields(call), error: outcomeText(outcome) }, options)
    : hooks.run('PostToolUse', answerFields(call, await responseOf(outcome)), options);
  return showHooks(run, await verdict);
}

function hookOptions(run: Run, tool: Tool) {
  return { signal: run.signal, subject: [tool.name, ...(tool.aliases ?? [])] };
}

/** Adds the instructions of a folder to the conversation when a file in it is touched. */
async function addInstructions(run: Run, call: GatedCall): Promise<void> {
  for (const action of call.actions) {
    if (action.kind !== 'read' && action.kind !== 'edit') continue;
    const instructions = await run.ports.instructionsFor(run.agent, action.path);
    const key = `instructions ${call.id} ${action.path}`;
    if (instructions !== undefined) await run.agent.inbox.admit({ origin: 'reminder', key }, [text(instructions)]);
  }
}

function hasEffects(call: GatedCall): boolean {
  return call.actions.some((action) => {
    if (action.kind === 'custom') return !action.readOnly;
    return action.kind !== 'read' && action.kind !== 'search' && action.kind !== 'session';
  });
}

/** Runs the tool. Tools finish when the signal aborts; one that doesn't is abandoned, and its outcome is unknown. */
async function runEffect(run: Run, tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutcome> {
  const effect = new Promise<ToolOutcome>((resolve) => {
    resolve(tool.run(input, context));
  }).catch((error: unknown) => toolCrashed(tool, error));
  const settled = new AbortController();
  const givenUp = new Promise<ToolOutcome>((resolve) => {
    const onAbort = async () => {
      const graceMs = tool.startsChild || tool.mayStartChild ? CHILD_GRACE_MS : ABORT_GRACE_MS;
      await run.agent.host.clock.sleep(graceMs, settled.signal);
      resolve(failed('Interrupted; its outcome is unknown.'));
    };
    if (run.signal.aborted) void onAbort();
    else run.signal.addEventListener('abort', onAbort, { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([effect, givenUp]);
  } finally {
    settled.abort();
  }
}

function asideOf({ aside }: Call): Pick<Call, 'aside'> {
  return aside ? { aside } : {};
}

async function finishCall(
  run: Run,
  call: Call,
  end: { tool: string; started: number; effects: boolean; outcome: ToolOutcome; stop: string | undefined },
): Promise<CallEnd> {
  const { use } = call;
  const { isError } = end.outcome;
  const filled = end.outcome.content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  const content = filled.length > 0 ? neutralizeContent(filled) : [text('(no output)')];
  const block = freezeBlock({
    type: 'tool_result',
    tool_use_id: use.id,
    content,
    ...(isError ? { is_error: true } : {}),
  });
  if (run.ports.reportsResponses && !isError && !call.aside) {
    await run.agent.emit({ kind: 'call-answered', call: use.id, response: await responseOf(end.outcome) });
  }
  await run.agent.emit({
    kind: 'call-finished',
    call: use.id,
    tool: end.tool,
    ...asideOf(call),
    isError,
    effects: end.effects,
    ms: Math.round(run.agent.host.clock.elapsed() - end.started),
    ...(end.outcome.paid === undefined ? {} : { paid: end.outcome.paid }),
    blocks: [block],
  });
  return {
    outcome: { isError, content },
    ...(end.effects ? { effects: true } : {}),
    ...(end.stop === undefined ? {} : { stop: end.stop }),
  };
}

function callContext(
  { agent, ports, signal }: Run,
  callId: string,
  { call, judged = new Map(), permitted = {} }: ParsedCall,
  todos: { items: readonly TodoItem[] },
  changes: FileChanges,
): ToolContext {
  const mayRead = ports.gate.mayRead(agent.requester);
  const adoptCommand = ports.adoptCommand?.bind(ports);
  const { memory } = agent.requester;
  const adoptCall = ports.adoptCall?.(agent, callId);
  return {
    host: markProcesses(agent.host, { session: ports.markedSession, agent: agent.id, call: callId }),
    signal,
    callId,
    agentId: agent.id,
    judged,
    declared: call.actions,
    ...(mayRead ? { mayRead } : {}),
    confine: (command: ProcessCommand, wish: ConfineOptions) =>
      ports.confine(agent, command, { ...wish, ...permitted }),
    files: agent.files,
    shell: agent.shell,
    roots: agent.roots,
    todos,
    ...(memory ? { memory: ownMemory(ports, memory) } : {}),
    keepOutput: (name, content) => ports.saveOutput(name, content),
    outputPath: (name) => ports.outputPath(name),
    ...(adoptCommand
      ? { keepRunning: (command: BackgroundCommand) => adoptCommand(agent, callId, changes.following(command)) }
      : {}),
    ...(adoptCommand ? { onMove: (move: () => void) => agent.activity.registerMovable(callId, move) } : {}),
    ...(adoptCall ? { keepCalling: adoptCall } : {}),
    progress: (line) => void agent.emit({ kind: 'call-progressed', call: callId, line }),
  };
}

function ownMemory({ memory: port }: Run['ports'], memory: AgentMemory): OwnMemory {
  const { scope, folder, isPrivate } = memory;
  const around = dirname(dirname(folder));
  return {
    folder,
    isPrivate,
    // Only the project's folder is shared, not the user's; on a mount there is none.
    ...(scope === 'local' && basename(around) === '.claude' ? { shared: around } : {}),
    prepared: () => port.prepared(folder),
    inTurn: (work) => port.withLock(memory, work),
  };
}

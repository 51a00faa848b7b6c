/** Runs one hook of any kind and reads its answer. The code of a kind is loaded with its first hook. */

import type { Clock } from '../../host/clock.js';
import type { HookEnd } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { runLimited } from './handlers/run-limited.js';
import type { HookAnswer, HookRun } from './hook-answer.js';
import { type CommandHandler, describeHandler, type FunctionHandler, type Handler } from './hook-config.js';
import type { HookCause, HookPorts } from './hook-ports.js';
import type { HookSetup } from './hooks-options.js';
import type { HookInput } from './input.js';
import { readOutput } from './read-output.js';
import { runCommandHook } from './run-command-hook.js';

type HookCall = HookSetup & {
  readonly cause: HookCause;
  readonly signal: AbortSignal | undefined;
  /** The subject of the event, if any: a tool's name. */
  readonly about: string | undefined;
};

/** Never rejects. */
export async function runHook(call: HookCall, handler: Handler, input: string): Promise<HookAnswer> {
  const takeBack = call.start(handler);
  const reportEnd = reportHook(call, handler.event);
  const run = await runHandler(call, handler, input).catch(notRun);
  reportEnd?.(run);
  if (!isAnswer(run)) takeBack();
  const failureBlocks = handler.kind === 'function' ? handler.failureBlocks : undefined;
  const answer = onlyIfOwn(handler, readOutput(handler.event, describeHandler(handler), run, { failureBlocks }));
  const unchecked = handler.condition !== undefined && call.matchesRule === undefined;
  return unchecked && answer.decision === 'allow' ? { messages: answer.messages } : answer;
}

/** An error in our own code must not be treated as a yes. */
function notRun(error: unknown): HookRun {
  return { kind: 'not started', reason: reasonOf(error) };
}

function isAnswer({ kind }: HookRun): boolean {
  return kind === 'exited' || kind === 'answered' || kind === 'judged';
}

async function runHandler(call: HookCall, handler: Handler, input: string): Promise<HookRun> {
  const { host, signal, cause } = call;
  const limit = { clock: host.clock, signal };
  switch (handler.kind) {
    case 'command':
      return handler.background !== undefined && canRunInBackground(call, handler)
        ? startInBackground(call, handler, input)
        : runCommand(call, handler, input, signal);
    case 'function':
      return runFunctionHook(handler, input, limit);
    case 'http': {
      const { runHttpHook } = await import('./handlers/run-http-hook.js');
      const env = handler.isOwn ? (call.ownEnv ?? host.env) : host.env;
      return runHttpHook(handler, input, { ...limit, env, findFetch: call.findFetch, limits: call.http ?? {} });
    }
    case 'mcp_tool': {
      const { runServerToolHook } = await import('./handlers/run-server-tool-hook.js');
      return runServerToolHook(handler, input, { ...limit, cause, ports: await portsOf(call) });
    }
    case 'prompt':
    case 'agent': {
      const { runModelHook } = await import('./handlers/run-model-hook.js');
      return runModelHook(handler, input, { ...limit, cause, ports: await portsOf(call) });
    }
    default:
      return handler satisfies never;
  }
}

async function portsOf({ ports }: HookCall): Promise<HookPorts> {
  if (ports === undefined) throw new Error('it needs a session, and none is open');
  return ports();
}

/** A project's hook can refuse a server's question, but can neither accept it nor choose what is sent (MC-23). */
function onlyIfOwn(handler: Handler, { elicited, ...answer }: HookAnswer): HookAnswer {
  if (elicited === undefined) return answer;
  if (handler.isOwn || elicited.action === 'cancel') return { ...answer, elicited };
  const text = "accepts a server's question, which only hooks in your own settings can do; its answer is ignored";
  return { ...answer, messages: [...answer.messages, { level: 'warning', hook: describeHandler(handler), text }] };
}

async function runCommand(
  { host, projectDir, whyChanged, placeOf, worktree, shell }: HookCall,
  handler: CommandHandler,
  input: string,
  signal: AbortSignal | undefined,
): Promise<HookRun> {
  // Checked right before it runs, because an agent may have changed the script since.
  const reason = await whyChanged?.(handler);
  if (reason !== undefined) return { kind: 'not started', reason };
  const project = worktree?.project ?? projectDir;
  const place = worktree === undefined ? undefined : await placeOf?.(handler, project);
  if (place !== undefined && 'reason' in place) return { kind: 'not started', reason: place.reason };
  const folder = place?.folder ?? project;
  return runCommandHook(handler, input, { host, projectDir, folder, shell: await shell(), signal });
}

/** Nothing outlives a session, so at its end, and without a session, the hook is awaited. */
function canRunInBackground({ ports }: HookCall, { event }: CommandHandler): boolean {
  return ports !== undefined && event !== 'SessionEnd';
}

/** To the caller it looks like a hook without an opinion. */
async function startInBackground(call: HookCall, handler: CommandHandler, input: string): Promise<HookRun> {
  const background = await call.background();
  const deliver: HookPorts['deliver'] = async (news) => (await portsOf(call)).deliver(news);
  background.start(handler, call.cause, { deliver }, (signal) => runCommand(call, handler, input, signal));
  return { kind: 'answered', answer: undefined };
}

type FunctionRunOptions = { readonly clock: Clock; readonly signal?: AbortSignal | undefined };

/** Never rejects. A function that ignores its signal is abandoned at the timeout; it can't be stopped. */
function runFunctionHook(
  { call, timeoutMs }: FunctionHandler,
  input: string,
  options: FunctionRunOptions,
): Promise<HookRun> {
  return runLimited(
    { ...options, timeoutMs },
    async (signal) => ({ kind: 'answered', answer: await call(JSON.parse(input) as HookInput, { signal }) }),
    (reason) => ({ kind: 'threw', reason }),
  );
}

type Reporting = Pick<HookSetup, 'notify' | 'host'> & { readonly cause: HookCause; readonly about: string | undefined };

/** Returns a function that reports its end. */
function reportHook({ notify, host, cause, about }: Reporting, event: string): ((run: HookRun) => void) | undefined {
  if (notify === undefined) return undefined;
  const hook = { run: host.newId(), event, name: about === undefined ? event : `${event}:${about}` };
  notify(cause.agent, { kind: 'hook-began', ...hook });
  return (run) => notify(cause.agent, { kind: 'hook-finished', ...hook, ...endOf(run) });
}

function endOf(run: HookRun): HookEnd {
  switch (run.kind) {
    case 'exited': {
      const { code, stdout, stderr } = run;
      return { outcome: code === 0 ? 'success' : 'error', stdout, stderr, exitCode: code };
    }
    case 'answered':
      return { outcome: 'success', stdout: run.answer === undefined ? '' : JSON.stringify(run.answer), stderr: '' };
    case 'judged':
      return { outcome: 'success', stdout: JSON.stringify({ ok: run.ok, reason: run.reason }), stderr: '' };
    case 'aborted':
      return { outcome: 'cancelled', stdout: '', stderr: '' };
    case 'timed out':
      return { outcome: 'cancelled', stdout: '', stderr: `it took longer than ${run.seconds} s` };
    case 'killed':
      return { outcome: 'error', stdout: '', stderr: run.stderr };
    case 'failed':
    case 'not started':
    case 'threw':
      return { outcome: 'error', stdout: '', stderr: run.reason };
    default:
      return run satisfies never;
  }
}

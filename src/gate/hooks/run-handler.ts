/** Runs one hook, of whatever kind, and reads its answer. The code of a kind is loaded with its first hook. */

import { reasonOf } from '../../protocol/reason-of.js';
import { reportHook } from './handlers/report-hook.js';
import type { HookAnswer, HookRun } from './hook-answer.js';
import { type CommandHandler, describeHandler, type Handler } from './hook-config.js';
import type { HookCause, HookPorts } from './hook-ports.js';
import type { HookSetup } from './hooks-options.js';
import { readOutput } from './read-output.js';
import { runCommandHook } from './run-command-hook.js';
import { runFunctionHook } from './run-function-hook.js';

type Asked = HookSetup & {
  readonly cause: HookCause;
  readonly signal: AbortSignal | undefined;
  /** What the event is about, if anything: a tool's name. */
  readonly about: string | undefined;
};

/** Never rejects. */
export async function runHook(asked: Asked, handler: Handler, input: string): Promise<HookAnswer> {
  const takeBack = asked.start(handler);
  const told = reportHook(asked, handler.event);
  const run = await runHandler(asked, handler, input).catch(notRun);
  told?.(run);
  if (!isAnswer(run)) takeBack();
  const failureBlocks = handler.kind === 'function' ? handler.failureBlocks : undefined;
  const answer = onlyIfOwn(handler, readOutput(handler.event, describeHandler(handler), run, { failureBlocks }));
  const unjudged = handler.condition !== undefined && asked.matchesRule === undefined;
  return unjudged && answer.decision === 'allow' ? { messages: answer.messages } : answer;
}

/** A defect of ours must not count as a yes. */
function notRun(error: unknown): HookRun {
  return { kind: 'not started', reason: reasonOf(error) };
}

function isAnswer({ kind }: HookRun): boolean {
  return kind === 'exited' || kind === 'answered' || kind === 'judged';
}

async function runHandler(asked: Asked, handler: Handler, input: string): Promise<HookRun> {
  const { host, signal, cause } = asked;
  const limit = { clock: host.clock, signal };
  switch (handler.kind) {
    case 'command':
      return handler.background !== undefined && canLeave(asked, handler)
        ? startInBackground(asked, handler, input)
        : runCommand(asked, handler, input, signal);
    case 'function':
      return runFunctionHook(handler, input, limit);
    case 'http': {
      const { runHttpHook } = await import('./handlers/run-http-hook.js');
      const env = handler.isOwn ? (asked.ownEnv ?? host.env) : host.env;
      return runHttpHook(handler, input, { ...limit, env, findFetch: asked.findFetch, limits: asked.http ?? {} });
    }
    case 'mcp_tool': {
      const { runServerToolHook } = await import('./handlers/run-server-tool-hook.js');
      return runServerToolHook(handler, input, { ...limit, cause, ports: await portsOf(asked) });
    }
    case 'prompt':
    case 'agent': {
      const { runModelHook } = await import('./handlers/run-model-hook.js');
      return runModelHook(handler, input, { ...limit, cause, ports: await portsOf(asked) });
    }
    default:
      return handler satisfies never;
  }
}

async function portsOf({ ports }: Asked): Promise<HookPorts> {
  if (ports === undefined) throw new Error('it needs a session, and none is open');
  return ports();
}

/** A project's hook can refuse a server's question, but neither accepts it nor says what is sent (MC-23). */
function onlyIfOwn(handler: Handler, { elicited, ...answer }: HookAnswer): HookAnswer {
  if (elicited === undefined) return answer;
  if (handler.isOwn || elicited.action === 'cancel') return { ...answer, elicited };
  const text = "accepts a server's question, which only hooks of your own settings can; its answer does not count";
  return { ...answer, messages: [...answer.messages, { level: 'warning', hook: describeHandler(handler), text }] };
}

async function runCommand(
  { host, projectDir, whyChanged, placeOf, worktree, shell }: Asked,
  handler: CommandHandler,
  input: string,
  signal: AbortSignal | undefined,
): Promise<HookRun> {
  // Looked at right before it runs: an agent may have changed the script of a hook since.
  const reason = await whyChanged?.(handler);
  if (reason !== undefined) return { kind: 'not started', reason };
  const project = worktree?.project ?? projectDir;
  const place = worktree === undefined ? undefined : await placeOf?.(handler, project);
  if (place !== undefined && 'reason' in place) return { kind: 'not started', reason: place.reason };
  const folder = place?.folder ?? project;
  return runCommandHook(handler, input, { host, projectDir, folder, shell: await shell(), signal });
}

/** Nothing outlives a session, so at its end, and without one, it is waited for. */
function canLeave({ ports }: Asked, { event }: CommandHandler): boolean {
  return ports !== undefined && event !== 'SessionEnd';
}

/** To who asked it looks like a hook without an opinion. */
async function startInBackground(asked: Asked, handler: CommandHandler, input: string): Promise<HookRun> {
  const background = await asked.background();
  const deliver: HookPorts['deliver'] = async (news) => (await portsOf(asked)).deliver(news);
  background.start(handler, asked.cause, { deliver }, (signal) => runCommand(asked, handler, input, signal));
  return { kind: 'answered', answer: undefined };
}

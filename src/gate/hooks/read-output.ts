/** Turns the outcome of a hook's run into its answer: exit codes, JSON, plain text. A failure is never treated as a yes. */

import { reasonOf } from '../../protocol/reason-of.js';
import { capText, type HookAnswer, type HookRun } from './hook-answer.js';
import { EVENT_TRAITS, type HookEvent } from './hook-events.js';
import { readAnswer } from './read-answer.js';

const BLOCKED = 2;
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

/** `hook`: its name in messages. `failureBlocks`: whether a run without an answer is treated as a no. */
export function readOutput(
  event: HookEvent,
  hook: string,
  run: HookRun,
  { failureBlocks = EVENT_TRAITS[event].failureBlocks }: { readonly failureBlocks?: boolean | undefined } = {},
): HookAnswer {
  const failed = (what: string) => failure(event, hook, what, failureBlocks && EVENT_TRAITS[event].blocks);
  switch (run.kind) {
    case 'exited':
      return readExit(event, hook, run);
    case 'answered':
      return run.answer === undefined || run.answer === null ? NOTHING : readAnswer(event, hook, run.answer);
    case 'judged':
      return withNote(hook, run.note, run.ok ? NOTHING : blocked(event, hook, run.reason));
    case 'failed':
      return withNote(hook, run.note, failed(`failed: ${run.reason}`));
    case 'not started':
      return failed(`could not be started: ${run.reason}`);
    case 'killed':
      return failed(withDetail(`was killed by signal ${run.signal}`, run.stderr));
    case 'threw':
      return failed(`threw an error: ${run.reason}`);
    case 'timed out':
      return failed(`did not finish within ${run.seconds} s and was ended`);
    case 'aborted':
      return failed('was interrupted');
    default:
      return run satisfies never;
  }
}

const NOTHING: HookAnswer = { messages: [] };

function withNote(hook: string, note: string | undefined, answer: HookAnswer): HookAnswer {
  if (note === undefined) return answer;
  return { ...answer, messages: [...answer.messages, { level: 'info', hook, text: capText(note) }] };
}

type Exited = HookRun & { readonly kind: 'exited' };

function readExit(event: HookEvent, hook: string, run: Exited): HookAnswer {
  const { code, stderr } = run;
  if (code === BLOCKED) return blocked(event, hook, stderr.trim() || run.stdout.trim(), 'exit code 2; ');
  if (code === NOT_EXECUTABLE || code === NOT_FOUND) {
    return failure(event, hook, withDetail(`could not be started (exit code ${code})`, stderr));
  }
  const output = run.stdout.trim();
  const json = output.startsWith('{') ? parseJson(output, run.stdoutCut) : undefined;
  if (json?.kind === 'unfinished' && (code === 0 || EVENT_TRAITS[event].failureBlocks)) {
    return failure(event, hook, withDetail(json.problem, stderr));
  }
  if (code !== 0) return exitError(event, hook, withDetail(`failed with exit code ${code}`, stderr));
  if (json?.kind === 'parsed') return readAnswer(event, hook, json.value);
  return readPlainText(event, hook, output);
}

type Parsed =
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'unfinished'; readonly problem: string };

function parseJson(output: string, cut: boolean): Parsed {
  if (cut) return { kind: 'unfinished', problem: 'began a JSON answer of more than 1 MB, which is too long' };
  try {
    return { kind: 'parsed', value: JSON.parse(output) };
  } catch (error) {
    const reason = reasonOf(error);
    return { kind: 'unfinished', problem: `began a JSON answer that is not complete or not valid (${reason})` };
  }
}

function readPlainText(event: HookEvent, hook: string, output: string): HookAnswer {
  const { plainText } = EVENT_TRAITS[event];
  switch (plainText) {
    case 'context':
      return output === '' ? NOTHING : { context: capText(output), messages: [] };
    case 'shown':
      return output === '' ? NOTHING : { messages: [{ level: 'info', hook, text: capText(output) }] };
    case 'path': {
      const path = output.split('\n').at(-1)?.trim() ?? '';
      return path === '' ? failure(event, hook, 'printed no path') : { worktreePath: path, messages: [] };
    }
    default:
      return plainText satisfies never;
  }
}

function blocked(event: HookEvent, hook: string, text: string, how = ''): HookAnswer {
  const reason = capText(text.trim() === '' ? `${hook} blocked this without giving a reason.` : text);
  if (EVENT_TRAITS[event].blocks) return { decision: 'deny', reason, messages: [] };
  return { messages: [{ level: 'warning', hook, text: `${reason} (${how}nothing can be blocked here)` }] };
}

/** Exit codes other than 0 and 2 are reported and ignored, except where the event needs the hook's result. */
function exitError(event: HookEvent, hook: string, what: string): HookAnswer {
  if (EVENT_TRAITS[event].plainText === 'path') return failure(event, hook, what);
  return { messages: [{ level: 'error', hook, text: capText(what) }] };
}

/** A broken guard must not let calls through: where the event requires it, a failure is a denial. */
function failure(event: HookEvent, hook: string, what: string, blocks = EVENT_TRAITS[event].failureBlocks): HookAnswer {
  const text = capText(what);
  const messages = [{ level: 'error', hook, text }] as const;
  if (!blocks) return { messages };
  return { decision: 'deny', reason: capText(`${hook} ${text}. Blocked, because the hook gave no answer.`), messages };
}

function withDetail(what: string, stderr: string): string {
  const detail = stderr.trim();
  return detail === '' ? what : `${what}: ${detail}`;
}

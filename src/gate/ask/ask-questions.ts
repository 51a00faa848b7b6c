/**
 * Asks the user questions of the model (EX-16). No rule and no mode answers them, and an allow without answers is not an
 * answer. A hook may refuse, or answer with `updatedInput.answers`, which is reported to the user.
 */

import { type Clock, newAbort } from '../../host/clock.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import type { PermissionQuestion } from '../../protocol/permission.js';
import { readAnswers } from '../../protocol/questions/read-answers.js';
import type { QuestionsRequest, UserAnswers, UserReply } from '../../protocol/questions/user-questions.js';
import { namedInput } from '../../protocol/tools/built-in-tools.js';
import { callFields } from '../hooks/hook-events.js';
import type { Requester } from '../requester.js';
import { describeRequester, type Questions, type Settlement } from './questions.js';

export type QuestionsOptions = {
  readonly questions: Questions;
  readonly newId: () => string;
  readonly clock: Clock;
  /** The time limit; undefined: none. */
  readonly seconds: number | undefined;
};

const TOOL = 'AskUserQuestion';

export async function askQuestions(
  options: QuestionsOptions,
  request: QuestionsRequest,
  requester: Requester,
  signal: AbortSignal,
): Promise<UserReply> {
  const warn = (line: string) => requester.notify({ kind: 'line-shown', level: 'warning', line });
  const byHook = request.answers === undefined ? undefined : await takeFromHook(request, request.answers, warn);
  if (byHook !== undefined) return byHook;
  if (requester.mode === 'dontAsk') return { kind: 'not-asked' };
  const hooked = await askHooks(request, requester, signal, warn);
  if (hooked !== undefined) return hooked;
  const { settlement, isLate } = await ask(options, describe(options.newId(), request, requester), requester, signal);
  if (settlement.kind === 'nobody') return { kind: 'nobody' };
  if (settlement.kind === 'taken-back') {
    return isLate && options.seconds !== undefined
      ? { kind: 'late', seconds: options.seconds }
      : { kind: 'taken-back' };
  }
  const { answer } = settlement;
  if (answer.behavior !== 'allow') {
    const { reason, interrupt } = answer;
    return { kind: 'dismissed', ...(reason?.trim() ? { reason } : {}), ...(interrupt ? { interrupt } : {}) };
  }
  const read = readAnswers(request.questions, answer.updatedInput);
  if (!read.ok) return { kind: 'empty', reason: read.reason };
  if (read.unknown.length > 0) await warn(`an answer was ignored: ${listQuestions(read.unknown)} was not asked`);
  return { kind: 'answered', by: 'person', ...read.answers };
}

/** Waits no longer than the user's setting. */
async function ask(
  { questions, clock, seconds }: QuestionsOptions,
  question: PermissionQuestion,
  requester: Requester,
  signal: AbortSignal,
): Promise<{ readonly settlement: Settlement; readonly isLate: boolean }> {
  if (seconds === undefined) return { settlement: await questions.ask(question, requester, signal), isLate: false };
  const late = newAbort();
  const cancel = clock.after(seconds * 1_000, () => late.abort());
  try {
    const settlement = await questions.ask(question, requester, AbortSignal.any([signal, late.signal]));
    return { settlement, isLate: late.signal.aborted && !signal.aborted };
  } finally {
    cancel();
  }
}

type Warn = (line: string) => Promise<unknown>;

/** Undefined: the user is asked. An allow without answers is not an answer. */
async function askHooks(
  request: QuestionsRequest,
  requester: Requester,
  signal: AbortSignal,
  warn: Warn,
): Promise<UserReply | undefined> {
  const fields = callFields({ id: request.call, tool: TOOL, input: { questions: request.questions } });
  const verdict = await requester.hooks.run('PermissionRequest', fields, { signal });
  for (const { level, hook, text } of verdict.messages) {
    await requester.notify({ kind: 'line-shown', level, line: `${hook}: ${text}` });
  }
  if (verdict.decision === 'deny') return { kind: 'refused', reason: verdict.reason ?? 'a hook refused it' };
  const answers = verdict.updatedInput?.answers;
  return answers === undefined ? undefined : takeFromHook(request, answers, warn);
}

async function takeFromHook(
  { questions }: QuestionsRequest,
  answers: unknown,
  warn: Warn,
): Promise<UserReply | undefined> {
  const read = readAnswers(questions, { answers });
  if (!read.ok) {
    await warn(`a hook's answer to a question of the model is ignored: ${read.reason}`);
    return undefined;
  }
  await warn(`a hook answered for you: ${listAnswers(read.answers)}`);
  return { kind: 'answered', by: 'hook', ...read.answers };
}

function listAnswers({ answers }: UserAnswers): string {
  const lines = Object.entries(answers).map(([question, answer]) => `${cut(question)} → ${cut(answer)}`);
  return lines.join('; ');
}

function listQuestions(questions: readonly string[]): string {
  return questions.slice(0, 4).map(cut).join(', ');
}

function cut(text: string): string {
  const line = escapeToLine(text);
  return JSON.stringify(line.length > 100 ? `${line.slice(0, 100).toWellFormed()}…` : line);
}

function describe(id: string, { call, questions }: QuestionsRequest, requester: Requester): PermissionQuestion {
  return {
    id,
    about: 'questions',
    questions,
    agent: describeRequester(requester),
    call: { id: call, ...namedInput(TOOL, { questions }) },
    cwd: requester.cwd,
    reason: 'the model asks you',
    destroys: [],
    offers: [],
  };
}

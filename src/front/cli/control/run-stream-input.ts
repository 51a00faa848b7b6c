/** Runs a session for a program: prompts and control lines on stdin, every event as a line on stdout. */

import { createInterface } from 'node:readline';
import type { SessionOptions } from '../../../engine/session-options.js';
import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import { realClock } from '../../../host/clock.js';
import { newRandomId } from '../../../host/node-host.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import { openSession } from '../../sdk/open-session.js';
import { describeLeft, leftFields } from '../../view/describe/describe-left-worktree.js';
import { EXIT, exitOf } from '../exit-code.js';
import { explainOpenFailure } from '../explain-open-failure.js';
import type { Flags } from '../flags.js';
import { explainLoss, openOutput } from '../lost-output.js';
import { onSignals } from '../on-signals.js';
import { optionsFromFlags } from '../options-from-flags.js';
import { printLine, printSession } from '../print-lines.js';
import { replayProblem } from '../replay-problem.js';
import { answerRequest, changeMode, type RequestContext } from './answer-request.js';
import { type ClientLine, type ControlRequest, parseClientLine } from './client-line.js';
import { ClientQuestions } from './client-questions.js';
import { PromptLine } from './prompt-line.js';

export async function runStreamInput(flags: Flags): Promise<number> {
  const lines = createInterface({ input: process.stdin, terminal: false, crlfDelay: Number.POSITIVE_INFINITY });
  const client = new Client(flags);
  const stop = () => {
    client.stop();
    lines.close();
  };
  const signals = onSignals(stop);
  const output = openOutput(stop);
  let number = 0;
  try {
    for await (const text of lines) {
      number += 1;
      if (text.trim() === '') continue;
      const failed = await client.take(parseClientLine(text), number);
      if (failed !== undefined) return failed;
    }
    await client.finish();
  } finally {
    signals.stop();
    lines.close();
    process.stdin.destroy();
  }
  const lost = output.lost();
  if (lost !== undefined) {
    process.stderr.write(`${explainLoss(lost, client.sessionId)}\n`);
    return EXIT.error;
  }
  const signal = signals.received();
  return signal === undefined ? client.exitCode : exitOf(signal);
}

/** The connected program and its session. */
class Client {
  readonly #flags: Flags;
  readonly #questions: ClientQuestions;
  #prompts: PromptLine | undefined;
  /** Tasks were stopped when the wait was over, or nobody could be told of their end. */
  #isIncomplete = false;
  /** A signal came, perhaps while the session was being opened. */
  #isStopped = false;
  #context: Omit<RequestContext, 'first'> | undefined;

  constructor(flags: Flags) {
    this.#flags = flags;
    this.#questions = new ClientQuestions({
      print: printLine,
      newId: newRandomId,
      warn: (line) => this.#warn('warning', line),
      setMode: async (mode) => {
        const context = this.#context;
        const mistake = context && (await changeMode(context.session, mode));
        if (mistake !== undefined) this.#warn('warning', mistake);
      },
    });
  }

  get sessionId(): string {
    return this.#context?.session.id ?? '';
  }

  get exitCode(): number {
    if (this.#isIncomplete) return EXIT.error;
    const reason = this.#prompts?.lastEnd?.reason;
    // An interruption by the client is not a failure.
    return reason === undefined || reason === 'completed' || reason === 'interrupted' ? EXIT.done : EXIT.error;
  }

  /** Returns an exit code if the session can't continue. */
  async take(line: ClientLine, number: number): Promise<number | undefined> {
    switch (line.kind) {
      case 'malformed': {
        const error = `line ${number} of the input was not understood: ${line.reason}`;
        if (line.requestId === undefined) this.#warn('error', error);
        else respond(line.requestId, { error });
        return undefined;
      }
      case 'idle':
        return undefined;
      case 'response':
        await this.#questions.answer(line.response);
        return undefined;
      case 'request': {
        const first = this.#context === undefined;
        const failed = await this.#open(line.line);
        if (failed !== undefined) return failed;
        await this.#answer(line.line, first);
        return undefined;
      }
      case 'user': {
        const failed = await this.#open(undefined);
        if (failed !== undefined) return failed;
        this.#prompts?.push(line.blocks);
        return undefined;
      }
      default:
        return line satisfies never;
    }
  }

  /** The input has ended: answers the queued prompts, then closes the session. */
  async finish(): Promise<void> {
    this.#questions.close();
    await this.#prompts?.done();
    const settled = await this.#prompts?.settle(this.#flags.backgroundWait * 1000);
    const { stopped = [], unreported = [] } = settled ?? {};
    this.#isIncomplete = stopped.length + unreported.length > 0;
    if (stopped.length > 0) {
      this.#warn('error', `stopped after ${this.#flags.backgroundWait} s of waiting: ${stopped.join(', ')}`);
    }
    if (unreported.length > 0) this.#warn('error', `the end of these could not be saved: ${unreported.join(', ')}`);
    await this.#context?.session.close();
    this.#tellWorktree();
    await this.#tellReplay();
  }

  #tellWorktree(): void {
    const session = this.#context?.session;
    const worktree = leftFields(session?.worktree);
    if (session === undefined || worktree === undefined) return;
    const line = describeLeft(session.worktree).join('\n');
    printLine({ type: 'system', subtype: 'worktree', worktree, line, session_id: session.id, uuid: newRandomId() });
  }

  async #tellReplay(): Promise<void> {
    const line = this.#context && (await replayProblem(this.#context.session));
    if (line === undefined) return;
    this.#isIncomplete = true;
    this.#warn('error', line);
    process.stderr.write(`error: ${stripUnsafe(line)}\n`);
  }

  stop(): void {
    this.#isStopped = true;
    this.#prompts?.stop();
  }

  /** Opens with the first meaningful line: only then is it known whether the client answers questions. */
  async #open(first: ControlRequest | undefined): Promise<number | undefined> {
    if (this.#context !== undefined) return undefined;
    const initializes = first?.request.subtype === 'initialize';
    const asks = initializes || this.#flags.permissionPromptTool === 'stdio';
    const opened = await openSession({
      ...optionsFromFlags(this.#flags),
      ...(initializes ? promptsFrom(first.request) : {}),
      ...(asks ? { onPermission: this.#questions.ask } : {}),
    });
    if (!opened.ok) {
      if (first !== undefined) respond(first.request_id, { error: opened.reason });
      return explainOpenFailure(opened);
    }
    const { session } = opened;
    for (const warning of session.warnings) process.stderr.write(`${stripUnsafe(warning)}\n`);
    this.#context = { session, startModel: session.model };
    this.#prompts = new PromptLine(session, printSession(session, this.#flags), printLine);
    if (this.#isStopped) this.#prompts.stop();
    return undefined;
  }

  async #answer(line: ControlRequest, first: boolean): Promise<void> {
    if (this.#context === undefined) return;
    // Let a prompt that just arrived begin; otherwise there is nothing to interrupt.
    await realClock.sleep(0);
    try {
      respond(line.request_id, await answerRequest(line, { ...this.#context, first }));
    } catch (error) {
      respond(line.request_id, { error: reasonOf(error) });
    }
  }

  #warn(level: 'warning' | 'error', line: string): void {
    const session = this.#context === undefined ? {} : { session_id: this.#context.session.id };
    printLine({ type: 'system', subtype: 'line', level, line, ...session, uuid: newRandomId() });
  }
}

function promptsFrom({ systemPrompt, appendSystemPrompt }: ControlRequest['request']): SessionOptions {
  return {
    ...(typeof systemPrompt === 'string' ? { systemPrompt } : {}),
    ...(typeof appendSystemPrompt === 'string' ? { appendSystemPrompt } : {}),
  };
}

function respond(request_id: string, answered: { readonly response: object } | { readonly error: string }): void {
  const subtype = 'error' in answered ? 'error' : 'success';
  printLine({ type: 'control_response', response: { subtype, request_id, ...answered } });
}

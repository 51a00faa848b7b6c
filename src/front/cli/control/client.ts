/** The connected program and its session: takes its lines, opens the session with the first, closes it after the last. */

import type { SessionOptions } from '../../../engine/session-options.js';
import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import { realClock } from '../../../host/clock.js';
import { newRandomId } from '../../../host/node-host.js';
import { openSession } from '../../sdk/open-session.js';
import { describeLeft, leftFields } from '../../view/describe/describe-left-worktree.js';
import { EXIT } from '../exit-code.js';
import { explainOpenFailure } from '../explain-open-failure.js';
import type { Flags } from '../flags.js';
import { optionsFromFlags } from '../options-from-flags.js';
import { printLine, printSession } from '../print-lines.js';
import { replayProblem } from '../replay-problem.js';
import { type Answered, answerRequest } from './answer-request.js';
import type { ClientLine, ControlRequest } from './client-line.js';
import { ClientQuestions } from './client-questions.js';
import { ClientRequests } from './client-requests.js';
import { describeSession, type InitializeFields, readInitialize } from './initialize.js';
import { PromptLine } from './prompt-line.js';
import type { RequestContext } from './requests/request-handler.js';
import { changeMode } from './requests/session-requests.js';

export class Client {
  readonly #flags: Flags;
  readonly #requests = new ClientRequests({ print: printLine, newId: newRandomId });
  readonly #questions: ClientQuestions;
  #prompts: PromptLine | undefined;
  /** Tasks were stopped when the wait was over, or nobody could be told of their end. */
  #isIncomplete = false;
  /** A signal came, perhaps while the session was being opened. */
  #isStopped = false;
  #context: RequestContext | undefined;

  constructor(flags: Flags) {
    this.#flags = flags;
    this.#questions = new ClientQuestions({
      client: this.#requests,
      warn: (line) => this.warn('warning', line),
      setMode: async (mode) => {
        const context = this.#context;
        const mistake = context && (await changeMode(context.session, mode));
        if (mistake !== undefined) this.warn('warning', mistake);
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
        if (line.requestId === undefined) this.warn('error', error);
        else respond(line.requestId, { error });
        return undefined;
      }
      case 'idle':
        return undefined;
      case 'response':
        this.#requests.answer(line.response);
        return undefined;
      case 'request':
        return this.#takeRequest(line.line);
      case 'user': {
        const failed = await this.#open(undefined);
        if (failed !== undefined) return failed;
        this.#prompts?.push(line.blocks, line.uuid);
        return undefined;
      }
      default:
        return line satisfies never;
    }
  }

  /** The input has ended: answers the queued prompts, then closes the session. */
  async finish(): Promise<void> {
    this.#requests.close();
    await this.#prompts?.done();
    const settled = await this.#prompts?.settle(this.#flags.backgroundWait * 1000);
    const { stopped = [], unreported = [] } = settled ?? {};
    this.#isIncomplete = stopped.length + unreported.length > 0;
    if (stopped.length > 0) {
      this.warn('error', `stopped after ${this.#flags.backgroundWait} s of waiting: ${stopped.join(', ')}`);
    }
    if (unreported.length > 0) this.warn('error', `the end of these could not be saved: ${unreported.join(', ')}`);
    await this.#context?.session.close();
    this.#tellWorktree();
    await this.#tellReplay();
  }

  stop(): void {
    this.#isStopped = true;
    this.#prompts?.stop();
  }

  warn(level: 'warning' | 'error', line: string): void {
    const session = this.#context === undefined ? {} : { session_id: this.#context.session.id };
    printLine({ type: 'system', subtype: 'line', level, line, ...session, uuid: newRandomId() });
  }

  async #takeRequest(line: ControlRequest): Promise<number | undefined> {
    const { request_id: id, request } = line;
    const wanted = request.subtype === 'initialize' ? readInitialize(request) : undefined;
    if (wanted?.ok === false) {
      // A client that goes on without what it asked for would rely on a hook that never runs.
      respond(id, { error: wanted.reason });
      process.stderr.write(`error: ${stripUnsafe(wanted.reason)}\n`);
      return EXIT.usage;
    }
    const isFirst = this.#context === undefined;
    const failed = await this.#open(id, wanted?.fields);
    if (failed !== undefined || this.#context === undefined) return failed;
    // Let a prompt that just arrived begin; otherwise there is nothing to interrupt.
    await realClock.sleep(0);
    if (wanted === undefined) respond(id, await answerRequest(line, this.#context));
    else respond(id, await describeSession(this.#context, wanted.fields, isFirst));
    return undefined;
  }

  /** Opens with the first meaningful line: only then is it known what the client wants and whether it answers. */
  async #open(requestId: string | undefined, fields?: InitializeFields): Promise<number | undefined> {
    if (this.#context !== undefined) return undefined;
    const opened = await openSession(this.#optionsWith(fields));
    if (!opened.ok) {
      if (requestId !== undefined) respond(requestId, { error: opened.reason });
      return explainOpenFailure(opened);
    }
    const { session } = opened;
    for (const warning of session.warnings) process.stderr.write(`${stripUnsafe(warning)}\n`);
    const view = printSession(session, this.#flags);
    const prompts = new PromptLine(session, view, printLine);
    const openedAt = realClock.elapsed();
    this.#context = { session, view, startModel: session.model, client: this.#requests, prompts, openedAt };
    this.#prompts = prompts;
    if (this.#isStopped) prompts.stop();
    return undefined;
  }

  #optionsWith(fields: InitializeFields | undefined): SessionOptions {
    const { permissionPrompts, permissionPromptTool } = this.#flags;
    const asks = fields !== undefined || permissionPromptTool === 'stdio' || permissionPrompts === 'host';
    return {
      ...optionsFromFlags(this.#flags),
      ...fields?.options,
      ...(asks && permissionPrompts !== 'none' ? { onPermission: this.#questions.ask } : {}),
    };
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
    this.warn('error', line);
    process.stderr.write(`error: ${stripUnsafe(line)}\n`);
  }
}

function respond(request_id: string, answered: Answered): void {
  const subtype = 'error' in answered ? 'error' : 'success';
  printLine({ type: 'control_response', response: { subtype, request_id, ...answered } });
}

/** The connected program and its session: reads its lines, opens the session with the first, closes it after the last. */

import { VERSION } from '../../../config/version.js';
import type { SessionOptions } from '../../../engine/session-options.js';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { realClock } from '../../../host/clock.js';
import { newRandomId } from '../../../host/node-host.js';
import { reasonOf } from '../../../protocol/reason-of.js';
import { openSession } from '../../sdk/open-session.js';
import { describeLeftWorktree, leftFields } from '../../view/describe/describe-left-worktree.js';
import { shownLine } from '../../view/stream-json/system-line.js';
import { EXIT } from '../exit-code.js';
import { explainOpenFailure } from '../explain-open-failure.js';
import type { Flags } from '../flags.js';
import { optionsFromFlags } from '../options-from-flags.js';
import { printEvents, printInit, printLine } from '../print-lines.js';
import { replayProblem } from '../replay-problem.js';
import { type Answered, answerRequest } from './answer-request.js';
import type { ClientLine, ControlRequest, ControlResponse, Malformed } from './client-line.js';
import { ClientQuestions } from './client-questions.js';
import { ClientRequests } from './client-requests.js';
import { ClientServers } from './client-servers.js';
import { type Initialize, readInitialize } from './initialize.js';
import { MAX_QUEUED, PromptQueue } from './prompt-queue.js';
import type { RequestContext, RequestFields } from './requests/request-handler.js';
import { changeMode } from './requests/session-requests.js';
import { accountInfo, agentInfos, modelInfos, outputStyles, slashCommands } from './session-facts.js';

/** Handled without waiting for earlier lines. */
const AT_ONCE: ReadonlySet<string> = new Set(['interrupt', 'stop_task', 'cancel_async_message', 'mcp_message']);

/** The longest id of a client that is printed. */
const LONGEST_ID = 100;

export class Client {
  readonly #flags: Flags;
  readonly #options: SessionOptions;
  readonly #requests = new ClientRequests({ print: printLine, newId: newRandomId });
  readonly #servers = new ClientServers(this.#requests);
  readonly #questions: ClientQuestions;
  #prompts: PromptQueue | undefined;
  /** Tasks were stopped after the wait, or their end could not be reported. */
  #isIncomplete = false;
  /** A signal arrived, perhaps while the session was being opened. */
  #isStopped = false;
  #context: RequestContext | undefined;
  /** Settles when the lines so far are handled. */
  #work: Promise<void> = Promise.resolve();
  /** The exit code of a session that could not be opened. */
  #failure: number | undefined;
  #fail: (code: number) => void = () => {};
  /** The request it was opened with. */
  #initialized = JSON.stringify({ subtype: 'initialize' });

  constructor(flags: Flags) {
    this.#flags = flags;
    this.#options = optionsFromFlags(flags);
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
    if (this.#failure !== undefined) return this.#failure;
    if (this.#isIncomplete) return EXIT.error;
    const reason = this.#prompts?.lastEnd?.reason;
    // An interruption by the client is not a failure.
    return reason === undefined || reason === 'completed' || reason === 'interrupted' ? EXIT.done : EXIT.error;
  }

  /** Resolves if the session could not be opened as requested. */
  readonly failed = new Promise<void>((resolve) => {
    this.#fail = (code) => {
      this.#failure ??= code;
      this.stop();
      resolve();
    };
  });

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Handles lines in order. Answers of the client are taken at once, because earlier lines may wait for them; so is an
   * interrupt of an open session.
   */
  take(line: ClientLine, number: number): void {
    if (line.kind === 'response') this.#takeResponse(line.response, number);
    else if (line.kind === 'request' && this.#context !== undefined && AT_ONCE.has(line.line.request.subtype))
      void this.#answer(line.line, this.#context);
    else this.#work = this.#work.then(() => this.#take(line, number));
  }

  #takeResponse(response: ControlResponse, number: number): void {
    if (this.#requests.answer(response)) return;
    const id = response.request_id.slice(0, LONGEST_ID);
    this.warn('error', `input line ${number}: nobody waits for the answer to request ${id} (ignored)`);
  }

  async #take(line: Exclude<ClientLine, { readonly kind: 'response' }>, number: number): Promise<void> {
    if (this.hasFailed) return;
    switch (line.kind) {
      case 'malformed':
        return this.#takeMalformed(line, `invalid input line ${number}: ${line.reason}`);
      case 'idle':
        return;
      case 'request':
        return this.#takeRequest(line.line);
      case 'user':
        await this.#open(undefined);
        if (this.#prompts?.push(line) === false)
          this.warn('error', `input line ${number}: too many prompts, ${MAX_QUEUED} are already queued`);
        return;
      default:
        return line satisfies never;
    }
  }

  #takeMalformed({ requestId, mayInitialize }: Malformed, error: string): void {
    if (requestId === undefined) this.warn('error', error);
    // The client requested something without which no prompt may run.
    if (mayInitialize && this.#context === undefined) this.#refuse(requestId, error);
    else if (requestId !== undefined) respond(requestId, { error });
  }

  /** The input has ended: answers the queued prompts, then closes the session. */
  async finish(): Promise<void> {
    this.#requests.close();
    await this.#work;
    await this.#prompts?.done();
    const settled = await this.#prompts?.settle(this.#flags.backgroundWait * 1000);
    const { stopped = [], unreported = [] } = settled ?? {};
    this.#isIncomplete = stopped.length + unreported.length > 0;
    if (stopped.length > 0) {
      this.warn(
        'error',
        `background tasks did not finish within ${this.#flags.backgroundWait} s and were stopped: ${stopped.join(', ')}`,
      );
    }
    if (unreported.length > 0)
      this.warn('error', `the end of these tasks could not be saved: ${unreported.join(', ')}`);
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
    printLine({ ...shownLine(level, line), ...session, uuid: newRandomId() });
  }

  async #takeRequest(line: ControlRequest): Promise<void> {
    const { request_id: id, request } = line;
    const isInitialize = request.subtype === 'initialize';
    if (isInitialize && this.#context !== undefined && JSON.stringify(request) !== this.#initialized) {
      return this.#refuse(
        id,
        'initialize: the session is already open, and can only be initialized with the same request',
      );
    }
    const wanted = isInitialize ? this.#read(request) : undefined;
    if (wanted?.ok === false) return this.#refuse(id, wanted.reason);
    if (isInitialize) this.#initialized = JSON.stringify(request);
    const context = await this.#open(id, wanted?.options);
    if (context === undefined) return;
    if (!isInitialize) return this.#answer(line, context);
    try {
      respond(id, { response: await describeSession(context) });
    } catch (error) {
      // The session is closing.
      this.#refuse(id, `initialize: ${reasonOf(error)}`);
    }
  }

  #read(request: RequestFields): Initialize {
    return readInitialize(request, { client: this.#requests, servers: this.#servers, flags: this.#options });
  }

  async #answer(line: ControlRequest, context: RequestContext): Promise<void> {
    // Let a prompt that just arrived start; otherwise there is nothing to interrupt.
    await realClock.sleep(0);
    context.session.note(`request ${line.request_id} ${line.request.subtype}`);
    respond(line.request_id, await answerRequest(line, context));
  }

  /** A client that continued without what it requested would rely on hooks that never run. */
  #refuse(id: string | undefined, reason: string): void {
    if (id !== undefined) respond(id, { error: reason });
    process.stderr.write(`error: ${stripControls(reason)}\n`);
    this.#fail(EXIT.usage);
  }

  /** Opens with the first meaningful line, which shows what the client requests and whether it answers questions. */
  async #open(requestId: string | undefined, wanted?: SessionOptions): Promise<RequestContext | undefined> {
    if (this.#context !== undefined) return this.#context;
    const opened = await openSession({ ...this.#options, ...wanted, ...this.#handlers(wanted !== undefined) });
    if (!opened.ok) {
      if (requestId !== undefined) respond(requestId, { error: opened.reason });
      this.#fail(explainOpenFailure(opened));
      return undefined;
    }
    const { session } = opened;
    for (const warning of session.warnings) process.stderr.write(`${stripControls(warning)}\n`);
    const view = printEvents(session, this.#flags);
    const replays = this.#flags.replayUserMessages === true;
    const prompts = new PromptQueue(session, view, {
      print: printLine,
      replays,
      introduce: () => printInit(session, this.#flags),
    });
    if (this.#isStopped) prompts.stop();
    this.#prompts = prompts;
    const [client, servers] = [this.#requests, this.#servers];
    const openedAt = realClock.elapsed();
    this.#context = { session, view, startModel: session.model, client, servers, prompts, openedAt };
    return this.#context;
  }

  /** Permission questions go to a client that announced support; questions of servers to any that takes requests. */
  #handlers(takesRequests: boolean): SessionOptions {
    const { permissionPrompts, permissionPromptTool } = this.#flags;
    const asks = permissionPrompts === 'host' || (permissionPromptTool === 'stdio' && permissionPrompts !== 'none');
    const { ask } = this.#questions;
    return { ...(asks ? { onPermission: ask } : {}), ...(takesRequests ? { onElicitation: ask } : {}) };
  }

  #tellWorktree(): void {
    const session = this.#context?.session;
    const worktree = leftFields(session?.worktree);
    if (session === undefined || worktree === undefined) return;
    const line = describeLeftWorktree(session.worktree).join('\n');
    printLine({ type: 'system', subtype: 'worktree', worktree, line, session_id: session.id, uuid: newRandomId() });
  }

  async #tellReplay(): Promise<void> {
    const line = this.#context && (await replayProblem(this.#context.session));
    if (line === undefined) return;
    this.#isIncomplete = true;
    this.warn('error', line);
    process.stderr.write(`error: ${stripControls(line)}\n`);
  }
}

function respond(request_id: string, answered: Answered): void {
  const subtype = 'error' in answered ? 'error' : 'success';
  printLine({ type: 'control_response', response: { subtype, request_id, ...answered } });
}

/** The response to a client that has initialized its session. */
async function describeSession({ session }: RequestContext): Promise<object> {
  return {
    commands: await slashCommands(session),
    agents: await agentInfos(session),
    output_style: session.outputStyle,
    available_output_styles: await outputStyles(session),
    models: await modelInfos(session),
    account: await accountInfo(session),
    hooks_applied: true,
    hook_on_failure_supported: true,
    plugins_applied: true,
    claude_code_version: VERSION,
    pid: process.pid,
  };
}

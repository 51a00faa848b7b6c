/** `coppice --plain`: a full interactive session, line by line, for screen readers, pipes and tests. */

import type { Host } from '../../../host/host.js';
import { nodeHost } from '../../../host/node-host.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../../protocol/permission.js';
import { pickSession } from '../../commands/session/resume-command.js';
import { describeQuestion } from '../../questions/question-kinds.js';
import { openSession } from '../../sdk/open-session.js';
import type { Session } from '../../sdk/session.js';
import { choosePaint, wantsColours } from '../../view/paint.js';
import { EXIT, exitOf } from '../exit-code.js';
import { explainOpenFailure } from '../explain-open-failure.js';
import type { Flags } from '../flags.js';
import { askTrust } from '../interactive/ask-trust.js';
import { askAboutWorktree } from '../interactive/ask-worktree.js';
import { describeLeaving, runningAgents } from '../interactive/describe-leaving.js';
import { openNext } from '../interactive/open-next.js';
import { optionsFromFlags } from '../options-from-flags.js';
import { replayProblem } from '../replay-problem.js';
import { createInterruptKey } from './interrupt-key.js';
import { LineInput } from './line-input.js';
import { runPlainSession } from './plain-session.js';
import { PlainView } from './plain-view.js';
import { putChoices } from './questions/put-choices.js';
import { putOptions } from './questions/put-options.js';
import type { QuestionHost } from './questions/question-host.js';
import { Screen } from './screen.js';

export async function runPlain(firstPrompt: string | undefined, flags: Flags): Promise<number> {
  const screen = new Screen(process.stdout);
  const input = new LineInput({ input: process.stdin, output: process.stdout }, screen);
  const restore = () => input.restore();
  process.once('exit', restore);
  const exit = new Exit();
  const stopSignals = catchSignals(exit, screen, input);
  try {
    return await converse(firstPrompt, flags, screen, input, exit);
  } finally {
    stopSignals();
    input.close();
    restore();
    process.off('exit', restore);
  }
}

/** Leaves the session: interrupts the work, then closes it. */
class Exit {
  readonly leaving = new AbortController();
  code: number = EXIT.done;
  session: Session | undefined;
  onWork: () => void = () => {};
  #working = false;
  #running = false;
  #cancel: (() => void) | undefined;

  /** True while the main agent runs, for a prompt or because of a task's notice. */
  get isWorking(): boolean {
    return this.#working || this.#running;
  }

  readonly setWorking = (working: boolean, cancel?: () => void): void => {
    this.#working = working;
    this.#cancel = working ? cancel : undefined;
    if (working) this.onWork();
  };

  readonly interrupt = (): void => {
    if (this.#cancel === undefined) this.session?.interrupt();
    else this.#cancel();
  };

  follow(session: Session): void {
    this.session = session;
    this.#running = false;
    session.watch(({ agent, event }) => {
      if (agent !== MAIN_AGENT || session !== this.session) return;
      if (event.kind === 'turn-started') this.#running = true;
      if (event.kind === 'run-ended') this.#running = false;
    });
  }

  /** Aborts when the user leaves once more, during the last question. */
  lastQuestion = new AbortController();

  readonly leave = (code: number): void => {
    this.code = code;
    this.leaving.abort();
    this.lastQuestion.abort();
    this.session?.interrupt();
  };
}

async function converse(
  firstPrompt: string | undefined,
  flags: Flags,
  screen: Screen,
  input: LineInput,
  exit: Exit,
): Promise<number> {
  const paint = choosePaint(wantsColours(process.stdout, process.env));
  const { signal } = exit.leaving;
  await askTrust({ host: nodeHost(process.cwd()), flags, screen, input, paint, signal });
  if (signal.aborted) return exit.code;
  const view = new PlainView(screen, paint, flags.verbose === true);
  let command: (line: string) => Promise<void> = async () => {};
  const settled = () => view.settled();
  const onPermission = askAtTerminal({ screen, input, paint, settled, command: (line) => command(line) });
  const resume = flags.resume === true ? await pick(flags, screen, input, signal) : undefined;
  if (flags.resume === true && resume === undefined) return exit.code;
  const given = { ...optionsFromFlags(flags), interactive: true, onPermission };
  const opened = await openSession({ ...given, ...(resume === undefined ? {} : { resume }) });
  if (!opened.ok) {
    input.close();
    return explainOpenFailure(opened);
  }
  const onCommand = (run: typeof command) => {
    command = run;
  };
  const terminal = { screen, input, paint, view, signal, leave: exit.leave, onCommand };
  // There may still be a question to ask.
  input.onLeave = () => {
    if (exit.session?.worktree === undefined) return false;
    exit.leave(EXIT.done);
    return true;
  };
  let prompt = firstPrompt;
  for (let { session } = opened; ; ) {
    exit.follow(session);
    const isWorking = () => exit.isWorking;
    const openOther = (id: string, as: 'copy' | 'other') => openNext(given, session, id, as);
    const other = await runPlainSession({
      ...terminal,
      session,
      firstPrompt: prompt,
      isWorking,
      setWorking: exit.setWorking,
      openOther,
    });
    const interrupted = runningAgents(session);
    await session.close('prompt_input_exit');
    await view.settled();
    if (other === undefined) {
      for (const line of describeLeaving(session, interrupted)) screen.line(line);
      const wrong = await replayProblem(session);
      if (wrong !== undefined) screen.line(wrong);
      exit.lastQuestion = new AbortController();
      const { signal: ending } = exit.lastQuestion;
      const unasked = exit.code !== EXIT.done;
      await askAboutWorktree({ worktree: session.worktree, screen, input, unasked, signal: ending });
      return exit.code === EXIT.done && wrong !== undefined ? EXIT.error : exit.code;
    }
    session = other;
    prompt = undefined;
  }
}

async function pick(
  { worktree }: Flags,
  screen: Screen,
  input: LineInput,
  signal: AbortSignal,
): Promise<string | undefined> {
  const host = nodeHost(process.cwd());
  const place = typeof worktree === 'string' ? await findWorktree(host, worktree) : undefined;
  // Opening the session reports any problem.
  if (place?.ok === false) return 'latest';
  return pickSession({
    host,
    folder: place?.path ?? (await host.files.realpath(host.folder)),
    say: (line) => screen.line(line),
    ask: (question) => {
      screen.line(question);
      return input.read({ prompt: '? ', question: true, signal });
    },
  });
}

async function findWorktree(host: Host, name: string) {
  const { worktreeFolder } = await import('../../../engine/open/enter-worktree.js');
  return worktreeFolder(host, name);
}

/** In raw mode Ctrl+C arrives as a key, otherwise as a signal. */
function catchSignals(exit: Exit, screen: Screen, input: LineInput): () => void {
  const { press: interrupt, forget } = createInterruptKey({
    isWorking: () => exit.isWorking,
    interrupt: exit.interrupt,
    leave: exit.leave,
    say: (line) => screen.line(line),
  });
  exit.onWork = forget;
  const terminate = (signal: NodeJS.Signals) => exit.leave(exitOf(signal));
  input.onInterrupt = interrupt;
  process.on('SIGINT', interrupt);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, terminate);
  return () => {
    process.off('SIGINT', interrupt);
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, terminate);
  };
}

/** Asks questions at the terminal, one at a time: the next is shown once the last is settled. */
export function askAtTerminal(terminal: QuestionHost): AskPermission {
  let last: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const answer = last.then(() => putQuestion(terminal, question, signal));
    last = answer.catch(() => {});
    return answer;
  };
}

/** Dispatches by the form of the answer. */
async function putQuestion(
  terminal: QuestionHost,
  asked: PermissionQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  await terminal.settled();
  const question = describeQuestion(asked);
  switch (question.form) {
    case 'choose':
    case 'fields':
      return putChoices(terminal, question, asked.alike ?? 0, signal);
    case 'options':
      return putOptions(terminal, question, signal);
    default:
      return question satisfies never;
  }
}

/** `coppice --plain`: a full interactive session, line by line; for screen readers, pipes and tests. */

import { nodeHost } from '../../../host/node-host.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { openSession } from '../../sdk/open-session.js';
import type { Session } from '../../sdk/session.js';
import { choosePaint, wantsColours } from '../../view/paint.js';
import { EXIT, exitOf } from '../exit-code.js';
import { explainOpenFailure } from '../explain-open-failure.js';
import type { Flags } from '../flags.js';
import { optionsFromFlags } from '../options-from-flags.js';
import { askTrust } from './ask-trust.js';
import { createInterruptKey } from './interrupt-key.js';
import { LineInput } from './line-input.js';
import { pickSession } from './pick-session.js';
import { PlainView } from './plain-view.js';
import { askAtTerminal } from './put-question.js';
import { Screen } from './screen.js';
import { talk } from './talk.js';

export async function runPlain(firstPrompt: string | undefined, flags: Flags, note?: string): Promise<number> {
  const screen = new Screen(process.stdout);
  const input = new LineInput({ input: process.stdin, output: process.stdout }, screen);
  const restore = () => input.restore();
  process.once('exit', restore);
  const exit = new Exit();
  const stopSignals = catchSignals(exit, screen, input);
  try {
    if (note !== undefined) screen.line(note);
    return await converse(firstPrompt, flags, screen, input, exit);
  } finally {
    stopSignals();
    input.close();
    restore();
    process.off('exit', restore);
  }
}

/** Leaving the session: interrupts the work, then closes. */
class Exit {
  readonly leaving = new AbortController();
  code: number = EXIT.done;
  session: Session | undefined;
  working = false;
  /** Whether the main agent works, for the person or because a task's notice woke it. */
  running = false;
  onWork: () => void = () => {};

  readonly leave = (code: number): void => {
    this.code = code;
    this.leaving.abort();
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
  const onPermission = askAtTerminal({ screen, input, paint, settled: () => view.settled() });
  const resume = flags.resume === true ? await pick(screen, input, signal) : undefined;
  if (flags.resume === true && resume === undefined) return exit.code;
  const chosen = resume === undefined ? {} : { resume };
  const opened = await openSession({ ...optionsFromFlags(flags), ...chosen, interactive: true, onPermission });
  if (!opened.ok) {
    input.close();
    return explainOpenFailure(opened);
  }
  const { session } = opened;
  exit.session = session;
  session.watch(({ agent, event }) => {
    if (agent !== MAIN_AGENT) return;
    if (event.kind === 'turn-started') exit.running = true;
    if (event.kind === 'run-ended') exit.running = false;
  });
  const setWorking = (working: boolean) => {
    exit.working = working;
    if (working) exit.onWork();
  };
  const { said } = await talk({
    session,
    firstPrompt,
    screen,
    input,
    paint,
    view,
    signal,
    setWorking,
    leave: exit.leave,
  });
  await session.close('prompt_input_exit');
  await view.settled();
  screen.line(`Session ${session.id}`);
  screen.line(said ? `Transcript: ${session.transcript}` : 'No prompt was sent, so nothing was saved.');
  return exit.code;
}

function pick(screen: Screen, input: LineInput, signal: AbortSignal): Promise<string | undefined> {
  return pickSession({
    host: nodeHost(process.cwd()),
    say: (line) => screen.line(line),
    ask: (question) => {
      screen.line(question);
      return input.read({ prompt: '? ', question: true, signal });
    },
  });
}

/** In raw mode Ctrl+C arrives as a key, otherwise as a signal. */
function catchSignals(exit: Exit, screen: Screen, input: LineInput): () => void {
  const { press: interrupt, forget } = createInterruptKey({
    isWorking: () => exit.working || exit.running,
    interrupt: () => exit.session?.interrupt(),
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

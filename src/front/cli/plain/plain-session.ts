/** The conversation loop: reads a prompt, runs the agent, and repeats until the user leaves. */

import { VERSION } from '../../../config/version.js';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { isCommand, isShellOrNote } from '../../commands/is-command.js';
import { describeMoved, NOTHING_TO_MOVE } from '../../commands/moved-agents.js';
import type { Session } from '../../sdk/session.js';
import { describePast } from '../../view/describe/describe-past.js';
import { type Paint, wantsColours } from '../../view/paint.js';
import { EXIT } from '../exit-code.js';
import { followSession } from '../follow-session.js';
import type { LineInput } from './line-input.js';
import type { PlainView } from './plain-view.js';
import type { Screen } from './screen.js';

export type PlainSession = {
  readonly session: Session;
  readonly firstPrompt: string | undefined;
  readonly screen: Screen;
  readonly input: LineInput;
  readonly paint: Paint;
  readonly view: PlainView;
  /** Aborts when the user leaves. */
  readonly signal: AbortSignal;
  /** `cancel`: the effect of Ctrl+C meanwhile; by default it interrupts the main agent. */
  setWorking(working: boolean, cancel?: () => void): void;
  /** True while the main agent runs, for any reason. */
  isWorking(): boolean;
  leave(code: number): void;
  /** Called with the function that runs a command in this session. */
  onCommand(run: (line: string) => Promise<void>): void;
  /** Opens the session to continue in. Resolves with the reason if it can't be opened. */
  openOther(id: string, as: 'copy' | 'other'): Promise<Session | string>;
};

/** Resolves when the user leaves, or with the session to continue in. */
export async function runPlainSession(options: PlainSession): Promise<Session | undefined> {
  const { session, screen, input, view, signal, setWorking } = options;
  const followed = followSession(session, view.show);
  const say = (line: string) => screen.line(line);
  let other: Session | undefined;
  const also: Promise<void>[] = [];
  const converse = async (text: string) => {
    setWorking(true);
    await send(options, text);
    for (let more = also.shift(); more !== undefined; more = also.shift()) await more;
    setWorking(false);
  };
  const later: string[] = [];
  const context = {
    session,
    view: followed,
    say,
    ask: (question: string) => {
      say(question);
      return input.read({ prompt: '? ', question: true, signal });
    },
    // A prompt from a command typed meanwhile joins the current run.
    send: async (text: string) => {
      if (options.isWorking()) also.push(send(options, text));
      else await converse(text);
    },
    leave: () => options.leave(EXIT.done),
    work: async <T>(work: Promise<T>, cancel?: () => void) => {
      // Ctrl+C interrupts a running turn, which then ends on its own.
      if (options.isWorking()) return work;
      setWorking(true, cancel);
      return work.finally(() => setWorking(false));
    },
    switchTo: async (id: string, as: 'copy' | 'other') => {
      const opened = await options.openOther(id, as);
      if (typeof opened === 'string') return opened;
      other = opened;
      return undefined;
    },
    waiting: later,
  };
  const command = async (text: string) => {
    // The table is loaded with the first command.
    const { runTyped } = await import('./run-typed.js');
    await runTyped(text, context, { later, isWorking: options.isWorking });
  };
  const runLater = async () => {
    while (other === undefined && !signal.aborted && !options.isWorking()) {
      const next = later.shift();
      if (next === undefined) return;
      await command(next);
      await view.settled();
    }
  };
  options.onCommand(command);
  takeLinesMeanwhile(options, also, command);
  const unwatch = session.onWoken(() => void runLater());
  greet(options);
  const status = await startStatusLine(options);
  let next = options.firstPrompt?.trim() ? options.firstPrompt : undefined;
  while (!signal.aborted && other === undefined) {
    if (next === undefined) status?.show();
    const text = next ?? (await input.read({ prompt: promptOf(session), signal }));
    next = undefined;
    if (text === undefined) break;
    if (text.trim() === '') continue;
    if (isTyped(text)) {
      await command(text);
      await view.settled();
    } else {
      await converse(text);
    }
    await runLater();
  }
  unwatch();
  await status?.close();
  // Text typed before the next conversation is queued for it.
  input.onLine = undefined;
  return other;
}

/** True for what is not a prompt: a built-in command, a line for the shell (`!`) or for instructions (`#`). */
function isTyped(text: string): boolean {
  return isCommand(text) || isShellOrNote(text);
}

/** Loaded only if the user has a status line and a terminal. */
async function startStatusLine({ session, screen, input, paint, isWorking }: PlainSession) {
  if (session.statusLine === undefined || !input.interactive) return undefined;
  const size = () => ({ columns: process.stdout.columns ?? 80, lines: process.stdout.rows ?? 24 });
  const colours = wantsColours(process.stdout, process.env);
  const { startPlainStatus } = await import('../../status-line/plain-status.js');
  return startPlainStatus({ session, screen, paint, isWorking, size, colours });
}

/** Takes lines typed while the agent runs. Prompts usually join the current run, unless it has just ended. */
function takeLinesMeanwhile(
  options: PlainSession,
  also: Promise<void>[],
  command: (text: string) => Promise<void>,
): void {
  const { session, screen, input, paint } = options;
  input.onLine = (text) => {
    if (text.trim() === '') return;
    if (isTyped(text)) return void command(text);
    screen.line(paint.dim('(the agent sees this at its next step)'));
    also.push(send(options, text));
  };
  input.onBackground = (isLineEmpty) => {
    const moved = session.toBackground();
    if (moved > 0) screen.line(describeMoved(moved));
    else if (isLineEmpty && options.isWorking()) screen.line(NOTHING_TO_MOVE);
    return moved > 0 || isLineEmpty;
  };
}

async function send({ session, screen, paint, view }: PlainSession, text: string): Promise<void> {
  let ended = false;
  const stop = session.watch(({ agent, event }) => {
    if (agent === MAIN_AGENT && event.kind === 'run-ended') ended = true;
  });
  const end = await session.send(text);
  await view.settled();
  stop();
  // A prompt that never became a run (refused by a hook, not saved) has no event that reports it.
  if (!ended && end.line !== undefined) screen.line(paint.bad(`! ${stripControls(end.line)}`));
}

function greet({ session, screen, paint }: PlainSession): void {
  const { id, model, cwd, mode, warnings, past } = session;
  screen.line(`Coppice ${VERSION} · ${model} · ${stripControls(cwd)} · mode ${mode} · /help lists the commands`);
  for (const warning of warnings) screen.line(paint.warn(`! ${stripControls(warning)}`));
  for (const line of past === undefined ? [] : describePast(id, past)) screen.line(line);
}

function promptOf({ mode }: Session): string {
  return mode === 'default' ? '> ' : `${mode} > `;
}

/** Runs one prompt headless, prints its result in the requested format and returns an exit code. */

import { stripControls } from '../../gate/permissions/strip-controls.js';
import { newAbort, realClock } from '../../host/clock.js';
import { newRandomId } from '../../host/node-host.js';
import type { RunEnd } from '../../loop/run-loop.js';
import { openSession } from '../sdk/open-session.js';
import type { Session } from '../sdk/session.js';
import { sendTyped } from '../sdk/typed-commands.js';
import { describeLeftWorktree, leftFields } from '../view/describe/describe-left-worktree.js';
import { progressLine } from '../view/progress-line.js';
import { NOT_SENT, resultObject } from '../view/result.js';
import { EXIT, exitOf } from './exit-code.js';
import { explainOpenFailure } from './explain-open-failure.js';
import type { Flags } from './flags.js';
import { followSession } from './follow-session.js';
import { explainLoss, openOutput, type SessionOutput } from './lost-output.js';
import { isReadSoon, onSignals } from './on-signals.js';
import { optionsFromFlags } from './options-from-flags.js';
import { printEvents, printInit } from './print-lines.js';
import { replayProblem } from './replay-problem.js';

export async function runPrint(prompt: string, flags: Flags): Promise<number> {
  const started = realClock.elapsed();
  const opened = await openSession(optionsFromFlags(flags));
  if (!opened.ok) return explainOpenFailure(opened);
  const { session } = opened;
  for (const warning of session.warnings) toStderr(warning);
  printMessages(session, flags);
  const interruption = newAbort();
  const interrupt = () => {
    session.interrupt();
    interruption.abort();
  };
  const signals = onSignals(interrupt);
  const output = openOutput(interrupt);
  const isStream = flags.outputFormat === 'stream-json';
  if (isStream) await printInit(session, flags);
  const view = isStream ? printEvents(session, flags) : followSession(session);
  const first = interruption.signal.aborted ? NOT_SENT : await sendTyped(session, prompt);
  const { end, stopped, unreported } = await waitForTasks(session, first, flags.backgroundWait, interruption.signal);
  signals.stop();
  const result = resultObject({
    end,
    totals: view.totals,
    session: session.id,
    uuid: newRandomId(),
    durationMs: realClock.elapsed() - started,
    models: session.models,
  });
  await session.close();
  output.workIsDone();
  const worktree = leftFields(session.worktree);
  const more = { ...stoppedFields(stopped), ...unreportedFields(unreported), ...(worktree && { worktree }) };
  const replay = await replayProblem(session);
  const printed = printResult(output, end, { ...result, ...more, ...replayFields(replay) }, flags, session);
  const isUnread = signals.received() !== undefined && !(await isReadSoon(printed));
  if (!isUnread) await printed;
  for (const line of describeLeftWorktree(session.worktree)) toStderr(line);
  if (replay !== undefined) toStderr(`error: ${replay}`);
  const lost = output.lost();
  if (lost !== undefined) toStderr(explainLoss(lost, session.id, session.isKept));
  if (stopped.length > 0) {
    const names = titlesOf(stopped);
    toStderr(`error: background tasks did not finish within ${flags.backgroundWait} s and were stopped: ${names}`);
  }
  if (unreported.length > 0) {
    const names = titlesOf(unreported);
    toStderr(`error: the end of these tasks could not be saved or reported to the main agent: ${names}`);
  }
  if (lost !== undefined || (replay !== undefined && end.reason === 'completed')) return EXIT.error;
  const code = exitCodeOf(end, [...stopped, ...unreported], signals.received());
  if (isUnread) process.exit(code);
  return code;
}

type Stopped = readonly { readonly id: string; readonly title: string }[];

/** Waits for background tasks. Their notices wake the main agent until none is left; returns the result of its last run. */
async function waitForTasks(
  session: Session,
  first: RunEnd,
  seconds: number,
  interruption: AbortSignal,
): Promise<{ readonly end: RunEnd; readonly stopped: Stopped; readonly unreported: Stopped }> {
  const line = 'interrupted while tasks ran in the background';
  const cutShort = { end: { ...first, reason: 'interrupted', line }, stopped: [], unreported: [] } as const;
  if (interruption.aborted) {
    // The signal may arrive just as the run completes; the background tasks are interrupted anyway.
    const isCutShort = first.reason === 'completed' && session.tasks().some(({ status }) => UNFINISHED.has(status));
    return isCutShort ? cutShort : { end: first, stopped: [], unreported: [] };
  }
  const interrupted = new Promise<undefined>((resolve) => {
    interruption.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const settled = await Promise.race([session.settled(seconds * 1000), interrupted]);
  if (settled === undefined) return cutShort;
  const stopped = titled(session, settled.stopped);
  return { end: settled.end ?? first, stopped, unreported: titled(session, settled.unreported) };
}

/** Adds titles to tasks. A foreground agent is no longer a task once it has ended. */
function titled(session: Session, ids: readonly string[]): Stopped {
  if (ids.length === 0) return [];
  const agents = session.snapshot().map(({ id, name, type, description }) => [id, `${name ?? type}: ${description}`]);
  const tasks = session.tasks().map(({ id, title }) => [id, title]);
  const titles: Record<string, string> = Object.fromEntries([...agents, ...tasks]);
  return ids.map((id) => ({ id, title: titles[id] ?? 'a task' }));
}

/** The statuses of tasks that have not ended. */
const UNFINISHED: ReadonlySet<string> = new Set(['queued', 'running', 'waiting']);

function stoppedFields(stopped: Stopped): object {
  if (stopped.length === 0) return {};
  const stopped_tasks = stopped.map(({ id, title }) => ({ task_id: id, title }));
  const errors = [`stopped while it was waited for: ${titlesOf(stopped)}`];
  return { subtype: 'error_background_wait', is_error: true, errors, stopped_tasks };
}

function unreportedFields(unreported: Stopped): object {
  if (unreported.length === 0) return {};
  const unreported_tasks = unreported.map(({ id, title }) => ({ task_id: id, title }));
  const errors = [`the end of these could not be saved: ${titlesOf(unreported)}`];
  return { subtype: 'error_during_execution', is_error: true, errors, unreported_tasks };
}

function titlesOf(tasks: Stopped): string {
  return tasks.map(({ id, title }) => `${id} (${title})`).join(', ');
}

/** Prints messages for the user to stderr; stdout holds only the result. */
function printMessages(session: Session, flags: Flags): void {
  if (flags.outputFormat === 'stream-json') return;
  // A fault that ends the run is reported again as its error, so its line is held until the next event.
  let held: string | undefined;
  session.watch(({ event }) => {
    const comesAgain = event.kind === 'run-ended' && event.line === held && flags.outputFormat === 'text';
    if (held !== undefined && !comesAgain && !isAboutReplay(session, held)) toStderr(held);
    held = event.kind === 'fault-met' ? event.line : undefined;
    if (event.kind === 'line-shown' && (event.level !== 'info' || flags.verbose)) toStderr(event.line);
    if (flags.verbose) {
      const line = progressLine('headless', event);
      if (line !== undefined) toStderr(line);
    }
  });
}

function replayFields(replay: string | undefined): object {
  if (replay === undefined) return {};
  return { subtype: 'error_during_execution', is_error: true, errors: [replay], replay_error: replay };
}

/** Told once, at the end. */
function isAboutReplay({ replay }: Session, line: string | undefined): boolean {
  return replay?.difference !== undefined && line?.includes(replay.difference.split('\n')[0] ?? '') === true;
}

async function printResult(
  output: SessionOutput,
  end: RunEnd,
  result: object,
  flags: Flags,
  session: Session,
): Promise<void> {
  if (flags.outputFormat !== 'text') return output.write(`${JSON.stringify(result)}\n`);
  // A program that asked for a value reads nothing else.
  const isRead = flags.jsonSchema === undefined || 'structured' in end;
  // A program gets every byte; a terminal gets no control sequences (GT-20).
  const text = process.stdout.isTTY ? stripControls(end.text) : end.text;
  if (text !== '' && isRead) await output.write(text.endsWith('\n') ? text : `${text}\n`);
  if (end.reason !== 'completed' && !isAboutReplay(session, end.line)) toStderr(`error: ${end.line ?? end.reason}`);
}

function toStderr(line: string): void {
  process.stderr.write(`${stripControls(line)}\n`);
}

function exitCodeOf(end: RunEnd, stopped: Stopped, signal: NodeJS.Signals | undefined): number {
  if (signal === 'SIGTERM' || signal === 'SIGHUP') return exitOf(signal);
  if (end.reason === 'interrupted') return EXIT.interrupted;
  return end.reason === 'completed' && stopped.length === 0 ? EXIT.done : EXIT.error;
}

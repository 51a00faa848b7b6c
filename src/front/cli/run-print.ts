/** A headless run: one prompt, its result in the format asked for, an exit code. */

import type { RunEnd } from '../../loop/run-loop.js';
import { openSession } from '../sdk/open-session.js';
import type { Session } from '../sdk/session.js';
import type { SessionOptions } from '../sdk/session-options.js';
import { resultObject } from '../view/result.js';
import { streamJson } from '../view/stream-json.js';
import { Tally } from '../view/tally.js';
import { EXIT } from './exit-code.js';
import type { Flags } from './flags.js';
import { onSignals } from './on-signals.js';
import { progressLine } from './progress-line.js';

export async function runPrint(prompt: string, flags: Flags): Promise<number> {
  const started = performance.now();
  const opened = await openSession(sessionOptions(flags));
  if (!opened.ok) {
    process.stderr.write(`${opened.kind === 'no-key' ? '' : 'error: '}${opened.message}\n`);
    return opened.kind === 'usage' || opened.kind === 'folder' ? EXIT.usage : EXIT.error;
  }
  const { session } = opened;
  for (const warning of session.warnings) process.stderr.write(`${warning}\n`);
  const tally = new Tally();
  session.watch(tally.watch);
  watchForPerson(session, flags);
  if (flags.outputFormat === 'stream-json') watchAsLines(session, flags);

  const signals = onSignals(() => session.interrupt());
  const end = await session.send(prompt);
  signals.stop();
  const result = resultObject({
    end,
    tally,
    session: session.id,
    uuid: crypto.randomUUID(),
    durationMs: performance.now() - started,
    models: session.models,
  });
  await session.close();
  await printResult(end, result, flags);
  return exitCodeOf(end, signals.received());
}

export function sessionOptions(flags: Flags): SessionOptions {
  return {
    ...pick(flags, 'model', 'effort', 'permissionMode', 'allowedTools', 'disallowedTools', 'systemPrompt'),
    ...pick(
      flags,
      'appendSystemPrompt',
      'maxTurns',
      'maxUsd',
      'maxTokens',
      'sessionId',
      'settings',
      'settingSources',
      'trust',
    ),
    ...(flags.addDir ? { addDirs: flags.addDir } : {}),
  };
}

function pick<K extends keyof Flags & keyof SessionOptions>(flags: Flags, ...names: K[]): Pick<SessionOptions, K> {
  return Object.fromEntries(
    names.filter((name) => flags[name] !== undefined).map((name) => [name, flags[name]]),
  ) as Pick<SessionOptions, K>;
}

/** What a person should know goes to stderr; stdout is for the result alone. */
function watchForPerson(session: Session, flags: Flags): void {
  if (flags.outputFormat === 'stream-json') return;
  session.watch(({ event }) => {
    if (event.kind === 'fault-met') process.stderr.write(`${event.line}\n`);
    if (event.kind === 'line-shown' && (event.level !== 'info' || flags.verbose))
      process.stderr.write(`${event.line}\n`);
    if (flags.verbose) {
      const line = progressLine(event);
      if (line !== undefined) process.stderr.write(`${line}\n`);
    }
  });
}

function watchAsLines(session: Session, flags: Flags): void {
  const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
  print({
    type: 'system',
    subtype: 'init',
    cwd: session.cwd,
    session_id: session.id,
    tools: session.tools.map((tool) => tool.name),
    mcp_servers: [],
    model: session.model,
    permissionMode: session.mode,
    uuid: crypto.randomUUID(),
  });
  const toLine = streamJson({
    session: session.id,
    newId: () => crypto.randomUUID(),
    partial: flags.includePartialMessages === true,
    parentCall: () => null,
  });
  session.watch((watched) => {
    const line = toLine(watched);
    if (line) print(line);
  });
}

async function printResult(end: RunEnd, result: object, flags: Flags): Promise<void> {
  if (flags.outputFormat !== 'text') return write(`${JSON.stringify(result)}\n`);
  if (end.text !== '') await write(end.text.endsWith('\n') ? end.text : `${end.text}\n`);
  if (end.reason !== 'completed') process.stderr.write(`error: ${end.line ?? end.reason}\n`);
}

/** Waits until the text has left the process, however slowly it is read. */
function write(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}

function exitCodeOf(end: RunEnd, signal: NodeJS.Signals | undefined): number {
  if (signal === 'SIGTERM') return EXIT.terminated;
  if (end.reason === 'interrupted') return EXIT.interrupted;
  return end.reason === 'completed' ? EXIT.done : EXIT.error;
}

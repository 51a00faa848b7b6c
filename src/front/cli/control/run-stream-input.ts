/** Runs a session for a program: prompts and control lines on stdin, every event as a line on stdout. */

import { newAbort, realClock } from '../../../host/clock.js';
import { EXIT, exitOf } from '../exit-code.js';
import type { Flags } from '../flags.js';
import { explainLoss, openOutput } from '../lost-output.js';
import { isReadSoon, onSignals } from '../on-signals.js';
import { printLine } from '../print-lines.js';
import { Client } from './client.js';
import { parseClientLine } from './client-line.js';
import { type InputLine, readLines } from './read-lines.js';

/** How often to write to a client that has closed its input, to detect that it is gone. */
const SIGN_OF_LIFE_MS = 1000;

export async function runStreamInput(flags: Flags): Promise<number> {
  const client = new Client(flags);
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    client.stop();
    process.stdin.destroy();
  };
  const signals = onSignals(stop);
  const output = openOutput(stop);
  void client.failed.then(() => process.stdin.destroy());
  try {
    let number = 0;
    for await (const line of linesOf(process.stdin, () => isStopped || client.hasFailed)) {
      number += 1;
      client.take(readLine(line), number);
    }
    const done = newAbort();
    const signs = probeClient(done.signal);
    await client.finish().finally(() => done.abort());
    await signs;
  } finally {
    signals.stop();
    process.stdin.destroy();
  }
  const lost = output.lost();
  if (lost !== undefined) {
    process.stderr.write(`${explainLoss(lost, client.sessionId, flags.sessionPersistence !== false)}\n`);
    return EXIT.error;
  }
  const signal = signals.received();
  if (signal === undefined) return client.exitCode;
  if (!(await isReadSoon(output.write('')))) process.exit(exitOf(signal));
  return exitOf(signal);
}

/** Writing to a client that is gone fails, and ends the work. */
async function probeClient(done: AbortSignal): Promise<void> {
  for (;;) {
    await realClock.sleep(SIGN_OF_LIFE_MS, done);
    if (done.aborted) return;
    printLine({ type: 'keep_alive' });
  }
}

/** Destroying an input ends reading with an error. */
async function* linesOf(input: NodeJS.ReadStream, isExpected: () => boolean): AsyncGenerator<InputLine> {
  try {
    yield* readLines(input as AsyncIterable<Uint8Array>);
  } catch (error) {
    if (!isExpected()) throw error;
  }
}

function readLine(line: InputLine): ReturnType<typeof parseClientLine> {
  if ('text' in line) return parseClientLine(line.text, line.isExact);
  return { kind: 'malformed', reason: `it has ${line.tooLong} bytes, which is too long`, mayInitialize: true };
}

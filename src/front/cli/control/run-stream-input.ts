/** Runs a session for a program: prompts and control lines on stdin, every event as a line on stdout. */

import { createInterface } from 'node:readline';
import { EXIT, exitOf } from '../exit-code.js';
import type { Flags } from '../flags.js';
import { explainLoss, openOutput } from '../lost-output.js';
import { onSignals } from '../on-signals.js';
import { Client } from './client.js';
import { parseClientLine } from './client-line.js';

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
    process.stderr.write(`${explainLoss(lost, client.sessionId, flags.sessionPersistence !== false)}\n`);
    return EXIT.error;
  }
  const signal = signals.received();
  return signal === undefined ? client.exitCode : exitOf(signal);
}
